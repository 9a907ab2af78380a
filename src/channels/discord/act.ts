/** What mom does in a chat beside posting: reactions, pins, polls, threads. Each is safe to be made twice. */
import type { API } from "@discordjs/core";
import type { ChannelAction, OutgoingAction, SendResult } from "../../contracts/channel.ts";
import type { Calls } from "./calls.ts";
import { codes } from "./errors.ts";
import type { PostedDelivery, Posting } from "./posting.ts";

interface ActDeps {
  api: API;
  calls: Calls;
  posting: Posting;
}

type Of<Type extends ChannelAction["type"]> = Extract<ChannelAction, { type: Type }>;

const poll = { maxQuestion: 300, maxOption: 55, mostOptions: 10, hours: 24 };
const maxThreadName = 100;
/** Discord knows emoji by their character; models like to write these names. */
const emojiByName: Readonly<Record<string, string>> = {
  "+1": "👍",
  thumbsup: "👍",
  "-1": "👎",
  thumbsdown: "👎",
  heart: "❤️",
  eyes: "👀",
  white_check_mark: "✅",
  x: "❌",
  tada: "🎉",
  fire: "🔥",
  joy: "😂",
  thinking: "🤔",
  pray: "🙏",
  wave: "👋",
  rocket: "🚀",
  ok_hand: "👌",
  warning: "⚠️",
};

export function act(deps: ActDeps, channelId: string, outgoing: OutgoingAction): Promise<SendResult> {
  const { action } = outgoing;
  switch (action.type) {
    case "react":
      return react(deps, channelId, action);
    case "pin":
      return pin(deps, channelId, action);
    case "poll":
      return ask(deps, channelId, outgoing, action);
    case "thread":
      return beginThread(deps, channelId, outgoing, action);
  }
}

async function react({ api, calls }: ActDeps, channelId: string, action: Of<"react">): Promise<SendResult> {
  const { messageId, remove } = action;
  const call = remove ? "deleteOwnMessageReaction" : "addMessageReaction";
  const emoji = toEmoji(action.emoji);
  const called = await calls.run(`react:${channelId}`, () => api.channels[call](channelId, messageId, emoji));
  return called.type === "done" ? { type: "sent", messageId } : called;
}

/** A character, a known name, or `name:id` of a server's own emoji. */
export function toEmoji(written: string): string {
  const custom = /^<?a?:?(\w{2,32}:\d{1,20})>?$/.exec(written)?.[1];
  return custom ?? emojiByName[written.replace(/^:|:$/g, "")] ?? written;
}

async function pin({ api, calls }: ActDeps, channelId: string, { messageId, remove }: Of<"pin">): Promise<SendResult> {
  const call = remove ? "unpinMessage" : "pinMessage";
  const called = await calls.run(`pin:${channelId}`, () => api.channels[call](channelId, messageId));
  return called.type === "done" ? { type: "sent", messageId } : called;
}

async function ask(
  { posting }: ActDeps,
  channelId: string,
  delivery: PostedDelivery,
  { question, options, isAnonymous, allowsMultiple }: Of<"poll">,
): Promise<SendResult> {
  const isTooLong =
    question.length > poll.maxQuestion ||
    options.length > poll.mostOptions ||
    options.some((option) => option.length > poll.maxOption);
  if (isTooLong) {
    const limits = `${poll.maxQuestion} characters, ${poll.mostOptions} options of ${poll.maxOption}`;
    return { type: "rejected", reason: `The poll is too long for Discord: the question may have ${limits}.` };
  }
  if (isAnonymous) return { type: "rejected", reason: "Polls on Discord always show who voted for what." };
  return posting.post(channelId, delivery, {
    poll: {
      question: { text: question },
      answers: options.map((text) => ({ poll_media: { text } })),
      duration: poll.hours,
      allow_multiselect: allowsMultiple === true,
      layout_type: 1,
    },
  });
}

/** It hangs from the message that is named, else from the text itself: Discord then tells when it was begun before. */
async function beginThread(
  { api, calls, posting }: ActDeps,
  channelId: string,
  delivery: PostedDelivery,
  { name, text, messageId }: Of<"thread">,
): Promise<SendResult> {
  const start = messageId ?? (await posting.post(channelId, delivery, { content: text }));
  if (typeof start !== "string" && start.type !== "sent") return start;
  const from = typeof start === "string" ? start : start.messageId;
  const body = { name: name.slice(0, maxThreadName).toWellFormed() || "Thread" };
  const begun = await calls.run(channelId, () => api.channels.createThread(channelId, body, from));
  if (begun.type !== "done" && begun.code !== codes.threadExists) return begun;
  // A thread that hangs from a message has the message's id.
  if (messageId === undefined) return { type: "sent", messageId: from };
  const said = await posting.post(from, delivery, { content: text });
  return said.type === "sent" ? { type: "sent", messageId: from } : said;
}
