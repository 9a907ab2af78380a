/** What a person does in a chat → what the Bot API reports of it. */
import type { SaidThere } from "../platform.ts";
import {
  botUser,
  type ChatBook,
  type FakeChat,
  type FakeMessage,
  findEntities,
  toApiChat,
  toApiMessage,
} from "./chat-book.ts";

/** `<chat>` or `<chat>/<topic>`. */
export function toPlace(channelId: string): { chatId: number; topicId?: number } {
  const [chat = "", topic] = channelId.split("/");
  return { chatId: Number(chat), ...(topic !== undefined && { topicId: Number(topic) }) };
}

export const toChannelId = ({ chatId, topicId }: { chatId: number; topicId?: number }): string =>
  topicId === undefined ? String(chatId) : `${chatId}/${topicId}`;

export function chatOf(book: ChatBook, channelId: string): FakeChat {
  const chat = book.chats.get(toPlace(channelId).chatId);
  if (!chat) throw new Error(`There is no chat ${channelId}`);
  return chat;
}

/** The messages of one say: with several files an album, where only the first has the words. */
export function buildSaid(book: ChatBook, said: SaidThere, content: Record<string, unknown> = {}): FakeMessage[] {
  const chat = chatOf(book, said.channelId);
  const { topicId } = toPlace(said.channelId);
  const from = book.userOf(Number(said.userId));
  const isAddressed = said.mention === true && chat.type !== "private";
  const text = isAddressed ? `@${botUser.username} ${said.text}` : said.text;
  const files = said.files ?? [];
  const common = {
    from,
    ...(topicId !== undefined && { topicId }),
    ...(said.replyTo !== undefined && { replyTo: Number(said.replyTo) }),
  };
  const id = said.id !== undefined && /^\d{1,9}$/.test(said.id) ? { id: Number(said.id) } : {};
  const group = files.length > 1 ? { media_group_id: `album-${chat.lastMessageId}` } : {};
  if (files.length === 0) return [book.addMessage(chat, { ...common, ...id, text, content })];
  return files.map((file, index) => {
    const { kind, about } = addFile(book, file);
    return book.addMessage(chat, {
      ...common,
      ...(index === 0 && id),
      text: index === 0 ? text : "",
      files: [{ filename: file.filename, bytes: Buffer.byteLength(file.data), kind }],
      content: { ...content, ...group, [kind]: about },
    });
  });
}

type SaidFile = NonNullable<SaidThere["files"]>[number];

function addFile(book: ChatBook, { filename, data, mimeType }: SaidFile) {
  const bytes = Buffer.from(data);
  const kind = mimeType?.startsWith("image/") ? "photo" : mimeType === "audio/ogg" ? "voice" : "document";
  const file_id = book.addFile(bytes, `${kind}s/${filename}`);
  const size = { file_id, file_unique_id: file_id, file_size: bytes.length };
  if (kind === "photo") {
    const small = { ...size, file_id: book.addFile(bytes.subarray(0, 1), "photos/s.jpg"), width: 90, height: 90 };
    return { kind, about: [small, { ...size, width: 800, height: 800 }] };
  }
  if (kind === "voice") return { kind, about: { ...size, duration: 1, mime_type: mimeType } };
  return { kind, about: { ...size, file_name: filename, ...(mimeType !== undefined && { mime_type: mimeType }) } };
}

/** With privacy mode on, a bot in a group sees only what is meant for a bot: commands, mentions of it, replies to it. */
export function isSeenByBot(book: ChatBook, message: FakeMessage, isPrivacyOn: boolean): boolean {
  const chat = book.chats.get(message.chatId);
  if (!isPrivacyOn || !chat || chat.type === "private" || chat.type === "channel") return true;
  if (message.replyTo !== undefined && chat.messages.get(message.replyTo)?.from === botUser) return true;
  return findEntities(message.text).some(({ type, offset, length }) => {
    const word = message.text.slice(offset, offset + length).toLowerCase();
    if (type === "mention") return word === `@${botUser.username}`;
    return !word.includes("@") || word.endsWith(`@${botUser.username}`);
  });
}

/** The update of a new or changed message. */
export function toMessageUpdate(book: ChatBook, message: FakeMessage, editDate?: number): Record<string, unknown> {
  const isChannel = book.chats.get(message.chatId)?.type === "channel";
  const name = isChannel ? "channel_post" : "message";
  const { from, ...rest } = toApiMessage(book, message);
  const sender = isChannel ? { sender_chat: rest["chat"] } : { from };
  const body = { ...rest, ...sender, ...(editDate !== undefined && { edit_date: editDate }) };
  return { [editDate === undefined ? name : `edited_${name}`]: body };
}

/** Mom came into a chat, left it, or was blocked. */
export function toMemberUpdate(book: ChatBook, chat: FakeChat, userId: number, status: string, date: number) {
  const member = (state: string) => ({ user: botUser, status: state });
  return {
    my_chat_member: {
      chat: toApiChat(chat, book.users.get(chat.id)),
      from: book.userOf(userId),
      date,
      old_chat_member: member(status === "member" ? "left" : "member"),
      new_chat_member: member(status),
    },
  };
}
