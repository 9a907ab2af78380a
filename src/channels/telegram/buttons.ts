/** Buttons under a post, and what a press says. What a button says stands in its data, so a press needs no memory of mom's. */
import type { CallbackQuery, InlineKeyboardMarkup } from "grammy/types";
import type { OutgoingButton } from "../../contracts/channel.ts";
import type { ChannelMessage } from "../../contracts/message.ts";
import { neutraliseLine } from "../kit/neutralise.ts";
import { placeOf, toSender } from "./message.ts";
import { toChannelId } from "./place.ts";

/** Bytes that Telegram takes with a button. */
const maxDataBytes = 64;
const maxLabelLength = 64;
const looks = { good: "success", bad: "danger" } as const;

/** Undefined when there are none, or when one says more than fits: the text tells how to answer without. */
export function toKeyboard(buttons: readonly OutgoingButton[] = []): InlineKeyboardMarkup | undefined {
  const fits = buttons.every(({ says }) => says !== "" && Buffer.byteLength(says) <= maxDataBytes);
  if (buttons.length === 0 || !fits) return undefined;
  const row = buttons.map(({ label, says, look }) => ({
    text: neutraliseLine(label).slice(0, maxLabelLength).toWellFormed() || "…",
    callback_data: says,
    ...(look && { style: looks[look] }),
  }));
  return { inline_keyboard: [row] };
}

/**
 * The press as a message of the presser. Undefined where the post is not mom's, is too old to be looked at, or has no such
 * button: the data of a press can be forged.
 */
export function toPress(query: CallbackQuery, botId: number, nowMs: number): ChannelMessage | undefined {
  const { id, from, message, data } = query;
  if (!message || message.date === 0 || message.from?.id !== botId || data === undefined) return undefined;
  const buttons = message.reply_markup?.inline_keyboard.flat() ?? [];
  if (!buttons.some((button) => "callback_data" in button && button.callback_data === data)) return undefined;
  const place = placeOf(message);
  return {
    id,
    channelId: toChannelId(place),
    timestamp: new Date(nowMs).toISOString(),
    sender: toSender({ from }),
    text: data,
    attachments: [],
    isMention: true,
    replyTo: String(message.message_id),
    ...(place.topicId !== undefined && { metadata: { topicId: String(place.topicId) } }),
  };
}
