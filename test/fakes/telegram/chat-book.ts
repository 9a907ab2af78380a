/** Who is there and what was said: people, chats, topics, messages, stickers and files, as Telegram itself would keep them. */
import { BotError, badRequest } from "./bot-error.ts";

export interface FakeUser {
  id: number;
  first_name: string;
  username?: string;
  is_bot: boolean;
}

export interface FakeChat {
  id: number;
  type: "private" | "group" | "supergroup" | "channel";
  title?: string;
  is_forum?: true;
  topics: Map<number, string>;
  /** Set when a group has become a supergroup. */
  migratedTo?: number;
  /** In a private chat: the person does not want the bot any more. */
  isBlocked?: boolean;
  isBotAdmin: boolean;
  lastMessageId: number;
  messages: Map<number, FakeMessage>;
}

export interface FakeMessage {
  id: number;
  chatId: number;
  topicId?: number;
  from: FakeUser;
  date: number;
  /** What a reader sees. */
  text: string;
  /** `rich`, `html`, `plain`: how the bot sent it. */
  format?: "rich" | "html" | "plain";
  /** Tags of the HTML, or what a rich message had beyond ordinary Markdown. */
  tags: string[];
  replyTo?: number;
  keyboard?: { text: string; callback_data?: string }[][];
  files: { filename: string; bytes: number; kind: string }[];
  reactions: string[];
  isPinned: boolean;
  isDeleted: boolean;
  edits: number;
  /** Everything that is not text, as it stands in a Bot API message. */
  content: Record<string, unknown>;
}

export interface FakeSticker {
  file_id: string;
  emoji: string;
  set_name: string;
}

export interface StoredFile {
  path: string;
  bytes: Buffer;
  /** As Telegram says it is; larger than the bytes that there are, where a test wants a large file. */
  size: number;
}

export const botUser: FakeUser = { id: 700_000_001, first_name: "Mom", username: "mom_test_bot", is_bot: true };

export function createChatBook(now: () => number) {
  const users = new Map<number, FakeUser>([[botUser.id, botUser]]);
  const chats = new Map<number, FakeChat>();
  const files = new Map<string, StoredFile>();
  const stickerSets = new Map<string, { title: string; stickers: FakeSticker[] }>();
  /** The bot's messages in the order in which they were made. */
  const made: FakeMessage[] = [];

  function addUser(user: Omit<FakeUser, "is_bot">, isBot = false): FakeUser {
    const added = { ...user, is_bot: isBot };
    users.set(user.id, added);
    return added;
  }
  function addChat(chat: Pick<FakeChat, "id" | "type" | "title" | "is_forum">): FakeChat {
    const added: FakeChat = { ...chat, topics: new Map(), isBotAdmin: true, lastMessageId: 0, messages: new Map() };
    chats.set(chat.id, added);
    return added;
  }
  const userOf = (id: number): FakeUser => users.get(id) ?? raise(`Nobody has the id ${id}`);

  /** The chat that a call names; Telegram's own refusals where it cannot be written to. */
  function chatFor(id: unknown): FakeChat {
    const chat = chats.get(Number(id));
    if (!chat) throw badRequest("chat not found");
    if (chat.migratedTo !== undefined) {
      throw new BotError(400, "Bad Request: group chat was upgraded to a supergroup chat", {
        migrate_to_chat_id: chat.migratedTo,
      });
    }
    if (chat.isBlocked) throw new BotError(403, "Forbidden: bot was blocked by the user");
    return chat;
  }
  function addMessage(chat: FakeChat, message: Partial<FakeMessage> & Pick<FakeMessage, "from" | "text">): FakeMessage {
    const id = message.id ?? chat.lastMessageId + 1;
    chat.lastMessageId = Math.max(chat.lastMessageId, id);
    const added: FakeMessage = {
      chatId: chat.id,
      date: Math.floor(now() / 1_000),
      tags: [],
      files: [],
      reactions: [],
      isPinned: false,
      isDeleted: false,
      edits: 0,
      content: {},
      ...message,
      id,
    };
    chat.messages.set(id, added);
    if (message.from === botUser) made.push(added);
    return added;
  }
  function messageIn(chat: FakeChat, id: unknown, doing: string): FakeMessage {
    const message = chat.messages.get(Number(id));
    if (!message || message.isDeleted) throw badRequest(`message to ${doing} not found`);
    return message;
  }
  function addFile(bytes: Buffer, path: string, size = bytes.length): string {
    const id = `file-${files.size + 1}`;
    files.set(id, {
      bytes,
      path: `${path.replace(/\/.*/, "")}/file_${files.size}${/\.\w+$/.exec(path)?.[0] ?? ""}`,
      size,
    });
    return id;
  }

  return { users, chats, files, stickerSets, made, addUser, addChat, userOf, chatFor, addMessage, messageIn, addFile };
}

export type ChatBook = ReturnType<typeof createChatBook>;

function raise(text: string): never {
  throw new Error(text);
}

/** A chat as it stands in a message. */
export function toApiChat({ id, type, title, is_forum }: FakeChat, user?: FakeUser): Record<string, unknown> {
  const name = type === "private" ? { first_name: user?.first_name, username: user?.username } : { title };
  return { id, type, ...name, ...(is_forum && { is_forum }) };
}

/** A message as the Bot API gives it. */
export function toApiMessage(book: ChatBook, message: FakeMessage, depth = 0): Record<string, unknown> {
  const chat = book.chats.get(message.chatId) ?? raise("no chat");
  const replied = message.replyTo === undefined ? undefined : chat.messages.get(message.replyTo);
  const isCaption = message.files.length > 0;
  const text = message.text === "" ? {} : { [isCaption ? "caption" : "text"]: message.text };
  const entities = message.text === "" ? [] : findEntities(message.text);
  return {
    message_id: message.id,
    from: message.from,
    chat: toApiChat(chat, book.users.get(chat.id)),
    date: message.date,
    ...(message.topicId !== undefined && { message_thread_id: message.topicId, is_topic_message: true }),
    ...(replied && depth === 0 && { reply_to_message: toApiMessage(book, replied, 1) }),
    ...text,
    ...(entities.length > 0 && { [isCaption ? "caption_entities" : "entities"]: entities }),
    ...(message.keyboard && { reply_markup: { inline_keyboard: message.keyboard } }),
    ...message.content,
  };
}

/** What Telegram finds by itself: commands and mentions by name. */
export function findEntities(text: string): { type: string; offset: number; length: number }[] {
  const found = [
    ...[...text.matchAll(/(?<![\w/])\/[a-z0-9_]{1,64}(?:@\w{3,})?/gi)].map((match) => ({ type: "bot_command", match })),
    ...[...text.matchAll(/(?<![\w@/])@\w{3,32}/g)].map((match) => ({ type: "mention", match })),
  ];
  return found
    .map(({ type, match }) => ({ type, offset: match.index, length: match[0].length }))
    .sort((a, b) => a.offset - b.offset);
}
