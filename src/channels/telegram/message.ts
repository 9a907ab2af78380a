/** Who said something, where, and in answer to what: the parts of a Telegram message that are not its content. */
import type { Chat, Message, MessageOrigin, User } from "grammy/types";
import type { ChannelInfo, MessageSender } from "../../contracts/message.ts";
import { type Place, toChannelId } from "./place.ts";

export function placeOf(message: Pick<Message, "chat" | "is_topic_message" | "message_thread_id">): Place {
  const { chat, is_topic_message, message_thread_id } = message;
  // Without the first, the second is only a chain of replies.
  const isTopic = is_topic_message === true && message_thread_id !== undefined;
  return { chatId: chat.id, ...(isTopic && { topicId: message_thread_id }) };
}

/**
 * Whoever speaks for a chat (an anonymous administrator, a channel) has that chat's id, not the one of the person behind it.
 * Without a username there is a made-up one that nobody can take: real ones have no dash.
 */
export function toSender({ from, sender_chat }: Pick<Message, "from" | "sender_chat">): MessageSender {
  if (sender_chat) {
    const username = sender_chat.username ?? `chat-${Math.abs(sender_chat.id)}`;
    return { id: String(sender_chat.id), username, displayName: nameOfChat(sender_chat), isBot: false };
  }
  if (!from) return { id: "unknown", username: "unknown", isBot: false };
  return { id: String(from.id), username: usernameOf(from), displayName: nameOf(from), isBot: from.is_bot };
}

export const usernameOf = ({ id, username }: User): string => username ?? `user-${id}`;
export const nameOf = ({ first_name, last_name }: Pick<User, "first_name" | "last_name">): string =>
  [first_name, last_name].filter((part) => part !== undefined && part !== "").join(" ");
const nameOfChat = (chat: Chat): string =>
  chat.type === "private"
    ? nameOf({ first_name: chat.first_name, ...(chat.last_name && { last_name: chat.last_name }) })
    : chat.title;

/** The chat, and the topic in it. A topic is named by the message that began it, which its messages point to. */
export function listChannels(message: Message, knownName: (channelId: string) => string | undefined): ChannelInfo[] {
  const { chat } = message;
  const type = chat.type === "private" ? "dm" : chat.type === "channel" ? "channel" : "group";
  const whole: ChannelInfo = { id: String(chat.id), name: nameOfChat(chat), type };
  const place = placeOf(message);
  if (place.topicId === undefined) return [whole];
  const id = toChannelId(place);
  const topic = (message.forum_topic_created ?? message.reply_to_message?.forum_topic_created)?.name;
  const name = topic === undefined ? (knownName(id) ?? `${whole.name} / ${place.topicId}`) : `${whole.name} / ${topic}`;
  return [whole, { id, name, type, parentId: whole.id }];
}

/** The message that is answered. In a topic everything else points to the topic's beginning, which is no answer. */
export function findReplied(message: Message): Message | undefined {
  const replied = message.reply_to_message;
  return message.is_topic_message && replied?.message_id === message.message_thread_id ? undefined : replied;
}

/** Who wrote a forwarded text, for people. Undefined where the sender forwards their own words. */
export function findForwarded({ forward_origin: origin, from }: Message): string | undefined {
  if (!origin) return undefined;
  return origin.type === "user" && origin.sender_user.id === from?.id ? undefined : nameOfOrigin(origin);
}

function nameOfOrigin(origin: MessageOrigin): string {
  if (origin.type === "user") return nameOf(origin.sender_user);
  if (origin.type === "hidden_user") return origin.sender_user_name;
  return nameOfChat(origin.type === "chat" ? origin.sender_chat : origin.chat);
}
