/** What mom does in a chat beside posting: the one handler behind `act` and behind the channel tools. */
import type { ChannelAction, OutgoingAction, SendResult } from "../../contracts/channel.ts";
import type { TelegramClient } from "./client.ts";
import { isRefusal } from "./failure.ts";
import { change } from "./outbound.ts";
import { toTarget } from "./place.ts";
import { reactionHint, toReaction } from "./reactions.ts";
import type { Sender } from "./send.ts";
import type { Stickers } from "./stickers.ts";
import { attempt, type TextCalls } from "./text-calls.ts";

export interface TelegramActions {
  act(channelId: string, action: ChannelAction): Promise<SendResult>;
  /** `query`: an emoji, or a word of a set's name. */
  sendSticker(channelId: string, query: string): Promise<SendResult>;
}

export interface ActionsDeps {
  client: TelegramClient;
  sender: Sender;
  stickers: Stickers;
  texts: TextCalls;
}

type Action<Type extends ChannelAction["type"]> = Extract<ChannelAction, { type: Type }>;
type Poll = Action<"poll">;

export function createActions({ client: { api }, sender, stickers, texts }: ActionsDeps): TelegramActions {
  const react = async (channelId: string, { messageId, emoji, remove }: Action<"react">): Promise<SendResult> => {
    const reaction = remove ? [] : toReaction(emoji);
    if (!reaction) return rejected(`Nobody can react with "${emoji}". ${reactionHint}`);
    return change(sender.touch, channelId, messageId, ({ chatId }, message_id) =>
      attempt(() => api.setMessageReaction({ chat_id: chatId, message_id, reaction })),
    );
  };
  const pin = (channelId: string, { messageId, remove }: Action<"pin">): Promise<SendResult> =>
    change(sender.touch, channelId, messageId, async ({ chatId }, message_id) => {
      const where = { chat_id: chatId, message_id };
      const result = await attempt(() =>
        remove ? api.unpinChatMessage(where) : api.pinChatMessage({ ...where, disable_notification: true }),
      );
      const isDone =
        result.type === "failed" && isRefusal(result.failure, /CHAT_NOT_MODIFIED|message to unpin not found/);
      return isDone ? { type: "done", value: true } : result;
    });
  const poll = async (channelId: string, asked: Poll): Promise<SendResult> => {
    const fault = findPollFault(asked);
    if (fault !== undefined) return rejected(fault);
    return sender.send(channelId, (place) =>
      attempt(async () => {
        const sent = await api.sendPoll({
          ...toTarget(place),
          question: asked.question,
          options: asked.options.map((text) => ({ text })),
          is_anonymous: asked.isAnonymous ?? true,
          allows_multiple_answers: asked.allowsMultiple ?? false,
        });
        return String(sent.message_id);
      }),
    );
  };
  /** A topic, and its first post. The topic is there even if that post is not, so it is never begun twice. */
  const thread = async (channelId: string, { name, text }: Action<"thread">): Promise<SendResult> => {
    const topicName = name.trim().slice(0, 128).toWellFormed() || "Topic";
    let problem: SendResult | undefined;
    const begun = await sender.send(channelId, async ({ chatId }) => {
      const topic = await attempt(() => api.createForumTopic({ chat_id: chatId, name: topicName }));
      if (topic.type === "failed") return topic;
      const topicId = topic.value.message_thread_id;
      const post = await texts.post({ chatId, topicId }, text);
      if (post.type === "failed")
        problem = rejected(`The topic ${chatId}/${topicId} was made, but its text was not posted.`);
      return { type: "done", value: String(topicId) };
    });
    return problem ?? begun;
  };

  return {
    act(channelId, action) {
      switch (action.type) {
        case "react":
          return react(channelId, action);
        case "pin":
          return pin(channelId, action);
        case "poll":
          return poll(channelId, action);
        case "thread":
          return thread(channelId, action);
      }
    },
    async sendSticker(channelId, query) {
      const sticker = await stickers.find(query);
      if (sticker === undefined) {
        return rejected(`No sticker fits "${query}" in the sets that were used where mom is. Try a single emoji.`);
      }
      return sender.send(channelId, (place) =>
        attempt(async () => String((await api.sendSticker({ ...toTarget(place), sticker })).message_id)),
      );
    },
  };
}

/** For the adapter's `act`: a repeated poll or topic cannot be marked, so it is the record that says so. */
export const toAct =
  (actions: TelegramActions) =>
  (channelId: string, { action }: OutgoingAction): Promise<SendResult> =>
    actions.act(channelId, action);

const rejected = (reason: string): SendResult => ({ type: "rejected", reason });

function findPollFault({ question, options }: Poll): string | undefined {
  if (question.trim() === "" || question.length > 300) return "A poll's question has 1 to 300 characters.";
  if (options.length < 2 || options.length > 12) return "A poll has 2 to 12 options.";
  if (options.some((option) => option.trim() === "" || option.length > 100))
    return "An option has 1 to 100 characters.";
  return undefined;
}
