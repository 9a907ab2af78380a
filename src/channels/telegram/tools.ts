/** Telegram's channel tools (spec 2.6). Each calls the adapter's one handler; the gate is checked before. */
import { Type } from "typebox";
import { ChannelError } from "../../base/errors.ts";
import type { SendResult } from "../../contracts/channel.ts";
import { type ChannelTool, defineChannelTool } from "../kit/channel-tool.ts";
import type { TelegramAdapter } from "./adapter.ts";

const chatId = Type.String({ description: "Chat id, as the conversation's" });
const messageId = Type.String();
const chatOf = (params: { chatId: string }) => params.chatId;

/** What the model is told; a refusal says what Telegram said. */
function finish(result: SendResult, done: (messageId: string) => string): string {
  if (result.type === "sent") return done(result.messageId);
  const doubt = result.type === "unknown" ? " Nobody knows whether it was done." : "";
  throw new ChannelError("CHANNEL_ACTION_FAILED", `${result.reason}${doubt}`, { retryable: result.type === "retry" });
}

const sendPoll = defineChannelTool({
  name: "telegram_send_poll",
  label: "Send a poll",
  description: "Post a poll in a Telegram chat",
  parameters: Type.Object({
    chatId,
    question: Type.String({ maxLength: 300 }),
    options: Type.Array(Type.String({ maxLength: 100 }), { minItems: 2, maxItems: 10 }),
    isAnonymous: Type.Optional(Type.Boolean({ description: "Default true" })),
    allowMultipleAnswers: Type.Optional(Type.Boolean()),
  }),
  gate: "polls",
  chatOf,
  async run({ actions }: TelegramAdapter, { chatId: chat, question, options, isAnonymous, allowMultipleAnswers }) {
    const poll = {
      type: "poll" as const,
      question,
      options,
      ...(isAnonymous !== undefined && { isAnonymous }),
      ...(allowMultipleAnswers !== undefined && { allowsMultiple: allowMultipleAnswers }),
    };
    return finish(await actions.act(chat, poll), (id) => `The poll is message ${id}.`);
  },
});

const pinMessage = defineChannelTool({
  name: "telegram_pin_message",
  label: "Pin a message",
  description: "Pin a message in a Telegram chat",
  parameters: Type.Object({ chatId, messageId }),
  gate: "pinning",
  chatOf,
  run: async ({ actions }: TelegramAdapter, { chatId: chat, messageId: id }) =>
    finish(await actions.act(chat, { type: "pin", messageId: id }), () => `Message ${id} is pinned.`),
});

const editMessage = defineChannelTool({
  name: "telegram_edit_message",
  label: "Edit a message",
  description: "Change the text of your own message in a Telegram chat",
  parameters: Type.Object({ chatId, messageId, text: Type.String() }),
  gate: "editing",
  chatOf,
  async run(adapter: TelegramAdapter, { chatId: chat, messageId: id, text }) {
    const [part = "", ...more] = adapter.render(text);
    if (part.trim() === "" || more.length > 0) {
      throw new ChannelError("CHANNEL_ACTION_FAILED", "The text is empty, or too long for one message", {
        hint: `At most ${adapter.capabilities.maxMessageLength} characters.`,
      });
    }
    return finish(await adapter.updateMessage(chat, id, part), () => `Message ${id} is changed.`);
  },
});

const deleteMessage = defineChannelTool({
  name: "telegram_delete_message",
  label: "Delete a message",
  description: "Delete a message in a Telegram chat",
  parameters: Type.Object({ chatId, messageId }),
  gate: "deletion",
  chatOf,
  run: async (adapter: TelegramAdapter, { chatId: chat, messageId: id }) =>
    finish(await adapter.deleteMessage(chat, id), () => `Message ${id} is deleted.`),
});

const react = defineChannelTool({
  name: "telegram_react",
  label: "React",
  description: "React to a message in a Telegram chat with one emoji",
  parameters: Type.Object({ chatId, messageId, emoji: Type.String(), remove: Type.Optional(Type.Boolean()) }),
  gate: "reactions",
  chatOf,
  async run({ actions }: TelegramAdapter, { chatId: chat, messageId: id, emoji, remove }) {
    const result = await actions.act(chat, { type: "react", messageId: id, emoji, ...(remove && { remove }) });
    return finish(result, () => (remove ? `The reaction to ${id} is gone.` : `Reacted to ${id} with ${emoji}.`));
  },
});

const sendSticker = defineChannelTool({
  name: "telegram_send_sticker",
  label: "Send a sticker",
  description: "Post a sticker in a Telegram chat, from the sets seen so far",
  parameters: Type.Object({ chatId, query: Type.String({ description: "An emoji, or a word of the set's name" }) }),
  gate: "stickers",
  chatOf,
  run: async ({ actions }: TelegramAdapter, { chatId: chat, query }) =>
    finish(await actions.sendSticker(chat, query), (id) => `The sticker is message ${id}.`),
});

export const telegramTools: readonly ChannelTool<TelegramAdapter>[] = [
  sendPoll,
  pinMessage,
  editMessage,
  deleteMessage,
  react,
  sendSticker,
];
