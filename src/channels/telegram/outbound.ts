/** Posts → calls to Telegram. A reply that was streamed as a live post becomes that post; everything else is posted anew. */
import type { OutgoingText, PlatformAdapter, SendResult } from "../../contracts/channel.ts";
import { toKeyboard } from "./buttons.ts";
import type { TelegramClient } from "./client.ts";
import { isRefusal } from "./failure.ts";
import { repeatedNote } from "./format.ts";
import type { Live } from "./live.ts";
import { parseMessageId } from "./place.ts";
import type { Sender, Target } from "./send.ts";
import { attempt, type CallResult, type TextCalls } from "./text-calls.ts";

export type Outbound = Pick<PlatformAdapter, "sendMessage" | "updateMessage" | "deleteMessage" | "settle">;

export interface OutboundDeps {
  client: TelegramClient;
  texts: TextCalls;
  sender: Sender;
  live: Live;
}

export function createOutbound({ client, texts, sender, live }: OutboundDeps): Outbound {
  /** The live post, edited into the reply. Undefined: there is none (any more), so post anew. */
  async function completeLive(place: Target, { text, buttons }: OutgoingText, liveId: number) {
    const result = await texts.edit(place, liveId, text, { keyboard: toKeyboard(buttons) });
    if (result.type === "done") return { type: "done" as const, value: String(liveId) };
    return isRefusal(result.failure, /message to edit not found|message can't be edited|MESSAGE_ID_INVALID/)
      ? undefined
      : result;
  }
  async function postText(place: Target, message: OutgoingText): Promise<CallResult<string>> {
    const keyboard = toKeyboard(message.buttons);
    const part = message.repeated ? `${message.text}\n\n${repeatedNote}` : message.text;
    const replyTo = message.replyTo === undefined || place.hasMoved ? undefined : parseMessageId(message.replyTo);
    const result = await texts.post(place, part, { replyTo, keyboard });
    return result.type === "done" ? { type: "done", value: String(result.value) } : result;
  }
  async function sendReply(channelId: string, message: OutgoingText): Promise<SendResult> {
    const liveId = await live.takeOver(channelId, message);
    return sender.send(channelId, async (place) => {
      const done = liveId === undefined || place.hasMoved ? undefined : await completeLive(place, message, liveId);
      if (done) return done;
      if (liveId !== undefined && message.turnId !== undefined) await live.forget(message.turnId);
      return postText(place, message);
    });
  }

  return {
    async sendMessage(channelId, message) {
      const result = await sendReply(channelId, message);
      if (result.type === "sent") live.posted(channelId, message, result.messageId);
      return result;
    },
    updateMessage: (channelId, messageId, text) =>
      change(sender.send, channelId, messageId, async (place, id) => texts.edit(place, id, text)),
    deleteMessage: (channelId, messageId) =>
      change(sender.touch, channelId, messageId, async ({ chatId }, id) => {
        const result = await attempt(() => client.api.deleteMessage({ chat_id: chatId, message_id: id }));
        const isGone = result.type === "failed" && isRefusal(result.failure, /message to delete not found/);
        return isGone ? { type: "done", value: true } : result;
      }),
    // Telegram cannot be asked; but a live post that is edited again is still one post.
    settle: async (_channelId, deliveryId) => ({ type: live.isTakenOver(deliveryId) ? "not-sent" : "unknown" }),
  };
}

/** Something that is done to a message that is there. */
export async function change(
  send: Sender["send"],
  channelId: string,
  messageId: string,
  call: (place: Target, messageId: number) => Promise<CallResult<unknown>>,
): Promise<SendResult> {
  const id = parseMessageId(messageId);
  if (id === undefined)
    return { type: "rejected", reason: `"${messageId}" is no message of Telegram's: ids are numbers.` };
  return send(channelId, async (place) => {
    if (place.hasMoved) return { type: "failed", failure: movedAway };
    const result = await call(place, id);
    return result.type === "done" ? { type: "done", value: messageId } : result;
  });
}

const movedAway = {
  type: "refused" as const,
  code: 400,
  description: "the message belongs to the group that has since become a supergroup",
};
