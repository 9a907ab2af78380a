/**
 * Where something is said. A forum's topic is kept apart like a chat of its own: its channel id is `<chat>/<topic>`. People
 * have positive ids, and a direct chat has the id of its person; groups and channels have negative ones.
 */
export interface Place {
  chatId: number;
  topicId?: number;
}

export function toChannelId({ chatId, topicId }: Place): string {
  return topicId === undefined ? String(chatId) : `${chatId}/${topicId}`;
}

/** Undefined for what cannot be an id of Telegram's. */
export function parseChannelId(channelId: string): Place | undefined {
  const match = /^(-?\d{1,16})(?:\/(\d{1,12}))?$/.exec(channelId);
  if (!match) return undefined;
  const chatId = Number(match[1]);
  return match[2] === undefined ? { chatId } : { chatId, topicId: Number(match[2]) };
}

/** Undefined for what cannot be one. */
export function parseMessageId(messageId: string): number | undefined {
  return /^\d{1,12}$/.test(messageId) ? Number(messageId) : undefined;
}

/** The chat without the topic: Telegram's limits hold for the whole of it. */
export const toChatKey = (channelId: string): string => channelId.split("/", 1)[0] ?? channelId;

export const isDirect = (channelId: string): boolean => !channelId.startsWith("-");

/** As the Bot API wants it. */
export function toTarget({ chatId, topicId }: Place): { chat_id: number; message_thread_id?: number } {
  return { chat_id: chatId, ...(topicId !== undefined && { message_thread_id: topicId }) };
}
