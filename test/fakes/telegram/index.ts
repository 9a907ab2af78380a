/**
 * Telegram on loopback: the Bot API over HTTP as the unmodified SDK speaks it, with the chats behind it and faults on demand.
 * See README.md.
 */
import type { FakePlatform, Fault, SaidThere, SeenPost } from "../platform.ts";
import { BotError, otherPoller } from "./bot-error.ts";
import { type BotServer, type Call, createBotServer } from "./bot-server.ts";
import {
  botUser,
  type ChatBook,
  createChatBook,
  type FakeMessage,
  type FakeSticker,
  toApiMessage,
} from "./chat-book.ts";
import { type BotState, buildOtherMethods } from "./other-methods.ts";
import { buildPostMethods, type Draft } from "./post-methods.ts";
import { buildSaid, chatOf, isSeenByBot, toChannelId, toMemberUpdate, toMessageUpdate, toPlace } from "./said.ts";
import { createUpdateLine } from "./update-line.ts";
import { createWebhookCalls } from "./webhook-calls.ts";

export interface TelegramPlatformOptions {
  /** False: an old Bot API server that knows neither rich messages nor drafts. */
  hasRichMessages?: boolean;
  /** Privacy mode: in groups mom sees only commands, mentions and replies. Absent: off. */
  isPrivacyOn?: boolean;
  /** Milliseconds since the epoch, for the dates of messages. Absent: the system's clock. */
  now?: () => number;
  /** The reverse proxy before mom: where a webhook's address leads to. Absent: nowhere, and webhooks are only noted. */
  reach?: (url: string) => string;
}

export interface TelegramPlatform extends FakePlatform {
  apiUrl: string;
  token: string;
  bot: { id: string; username: string };
  /** Beside `chats` and `people`: a forum with one topic, a small group, a broadcast channel. */
  places: { forum: string; topic: string; smallGroup: string; broadcast: string };
  /** Every call that mom made. */
  calls: Call[];
  state: BotState;
  drafts(channelId: string): Draft[];
  /** The message as Telegram keeps it: format, buttons, reactions, pins. */
  message(channelId: string, messageId: string): FakeMessage;
  /** Says something that is no text: `{ location: … }`, `{ sticker: … }`, `{ forward_origin: … }`. */
  sayWith(said: SaidThere, content: Record<string, unknown>): string;
  /** Somebody changes what they said. */
  edit(channelId: string, messageId: string, text: string): void;
  /** Somebody presses a button; `data` where the press is forged. Returns the id of the query. */
  press(pressed: { channelId: string; messageId: string; userId: string; label?: string; data?: string }): string;
  /** The person of a private chat presses the stop button of a draft. */
  stopDraft(channelId: string): void;
  /** Mom comes into a chat, leaves it, or is blocked. */
  member(channelId: string, status: "member" | "left" | "kicked"): void;
  /** A group becomes a supergroup; returns the id of that. */
  migrate(channelId: string): string;
  addTopic(channelId: string, name: string): string;
  addStickerSet(name: string, title: string, emojis: string[]): FakeSticker[];
  /** A file that somebody could send, of any size that Telegram would claim. Returns its file id. */
  addFile(data: string, path: string, size?: number): string;
  /** The long poll that is open now, if any. */
  readonly isPolled: boolean;
}

const token = "700000001:AAtest-token-of-the-fake-telegram-bot";
const [owner, other] = ["1001", "1002"];
const ids = { group: "-1001000000001", forum: "-1001000000002", broadcast: "-1001000000003", smallGroup: "-4001" };

export async function createTelegramPlatform(options: TelegramPlatformOptions = {}): Promise<TelegramPlatform> {
  const now = options.now ?? (() => Date.now());
  const book = createChatBook(now);
  const topic = furnish(book);
  const waiters = new Set<{ isDone: () => boolean; resolve: () => void }>();
  const onChange = () => {
    webhook.wake();
    for (const waiter of waiters) {
      if (!waiter.isDone()) continue;
      waiters.delete(waiter);
      waiter.resolve();
    }
  };
  const line = createUpdateLine(onChange);
  const state = {
    isPrivacyOn: options.isPrivacyOn ?? false,
    webhookUrl: "",
    webhookSecret: "",
    webhookError: undefined,
    commands: [],
    openQueries: new Set<string>(),
    actions: [],
    isRevoked: false,
    hasSecondPoller: false,
  };
  const webhook = createWebhookCalls({ line, state, reach: options.reach, now, onChange });
  const { methods, drafts } = buildPostMethods(book, { hasRichMessages: options.hasRichMessages ?? true });
  const others = buildOtherMethods(book, state, line);
  const server = await createBotServer({ token, book, state, line, methods: { ...methods, ...others }, onChange });
  const stage = { book, line, state, server, now, drafts };

  const speak = (said: SaidThere, content?: Record<string, unknown>): string => {
    const messages = buildSaid(book, said, content);
    for (const message of messages) {
      if (isSeenByBot(book, message, state.isPrivacyOn)) line.push(toMessageUpdate(book, message));
    }
    onChange();
    return String(messages[0]?.id);
  };
  return {
    config: { type: "telegram", botToken: token, apiUrl: server.apiUrl },
    chats: { owner, other, group: ids.group },
    people: { owner, other },
    apiUrl: server.apiUrl,
    token,
    bot: { id: String(botUser.id), username: String(botUser.username) },
    places: { forum: ids.forum, topic: `${ids.forum}/${topic}`, smallGroup: ids.smallGroup, broadcast: ids.broadcast },
    calls: server.calls,
    state,
    addDirectChat(name) {
      const id = 2_000 + book.chats.size;
      book.addUser({ id, first_name: name, username: name.toLowerCase().replace(/\W/g, "_") });
      book.addChat({ id, type: "private" });
      return { channelId: String(id), userId: String(id) };
    },
    posts: (channelId) =>
      book.made
        .filter(({ content }) => content["forum_topic_created"] === undefined)
        .map(toSeenPost)
        .filter((post) => channelId === undefined || post.channelId === channelId),
    drafts: (channelId) => drafts.filter(({ chatId }) => chatId === toPlace(channelId).chatId),
    message: (channelId, id) => chatOf(book, channelId).messages.get(Number(id)) ?? missing(`message ${id}`),
    say: (said) => speak(said),
    sayWith: speak,
    ...buildDeeds(stage),
    fail: (fault) => applyFault(stage, fault, onChange),
    until: (isDone) =>
      new Promise((resolve) => {
        if (isDone()) resolve();
        else waiters.add({ isDone, resolve });
      }),
    get unacknowledged() {
      return line.waiting;
    },
    get isPolled() {
      return line.openPoll !== undefined;
    },
    close() {
      webhook.close();
      return server.close();
    },
  };
}

interface Stage {
  book: ChatBook;
  line: ReturnType<typeof createUpdateLine>;
  state: BotState & { isRevoked: boolean; hasSecondPoller: boolean };
  server: BotServer;
  now: () => number;
  drafts: Draft[];
}

/** The chats and people of every test. Returns the id of the forum's topic. */
function furnish(book: ChatBook): number {
  book.addUser({ id: Number(owner), first_name: "Ann", username: "ann" });
  book.addUser({ id: Number(other), first_name: "Ben", username: "ben_b" });
  book.addChat({ id: Number(owner), type: "private" });
  book.addChat({ id: Number(other), type: "private" });
  book.addChat({ id: Number(ids.group), type: "supergroup", title: "Family" });
  book.addChat({ id: Number(ids.smallGroup), type: "group", title: "Small" });
  book.addChat({ id: Number(ids.broadcast), type: "channel", title: "News" });
  const forum = book.addChat({ id: Number(ids.forum), type: "supergroup", title: "Club", is_forum: true });
  return addTopic(book, forum.id, "Plans");
}

function addTopic(book: ChatBook, chatId: number, name: string): number {
  const chat = chatOf(book, String(chatId));
  const content = { forum_topic_created: { name, icon_color: 7_322_096 } };
  const { id } = book.addMessage(chat, { from: book.userOf(Number(owner)), text: "", content });
  chat.topics.set(id, name);
  return id;
}

/** What people do beside talking. */
function buildDeeds({ book, line, state, now, drafts }: Stage) {
  const seconds = () => Math.floor(now() / 1_000);
  return {
    edit(channelId: string, messageId: string, text: string) {
      const message = chatOf(book, channelId).messages.get(Number(messageId)) ?? missing(`message ${messageId}`);
      message.text = text;
      line.push(toMessageUpdate(book, message, seconds()));
    },
    press({ channelId, messageId, userId, label, data }: Parameters<TelegramPlatform["press"]>[0]): string {
      const message = chatOf(book, channelId).messages.get(Number(messageId)) ?? missing(`message ${messageId}`);
      const button = message.keyboard?.flat().find(({ text }) => text === label);
      const id = `query-${state.openQueries.size + 1}-${message.id}-${now()}`;
      state.openQueries.add(id);
      line.push({
        callback_query: {
          id,
          from: book.userOf(Number(userId)),
          message: toApiMessage(book, message),
          chat_instance: "1",
          data: data ?? button?.callback_data ?? missing(`button ${label}`),
        },
      });
      return id;
    },
    stopDraft(channelId: string) {
      const chat = chatOf(book, channelId);
      const draft = drafts.find(({ chatId, canStop }) => chatId === chat.id && canStop) ?? missing("draft");
      line.push({ stopped_message_generation: { chat: { id: chat.id, type: "private" }, draft_id: draft.draftId } });
    },
    member(channelId: string, status: "member" | "left" | "kicked") {
      const chat = chatOf(book, channelId);
      if (chat.type === "private") chat.isBlocked = status === "kicked";
      line.push(toMemberUpdate(book, chat, chat.type === "private" ? chat.id : Number(owner), status, seconds()));
    },
    migrate(channelId: string): string {
      const chat = chatOf(book, channelId);
      const next = book.addChat({ id: -1_002_000_000_000 + chat.id, type: "supergroup", title: chat.title ?? "" });
      const from = book.userOf(Number(owner));
      const content = { migrate_to_chat_id: next.id };
      line.push(toMessageUpdate(book, book.addMessage(chat, { from, text: "", content })));
      chat.migratedTo = next.id;
      return String(next.id);
    },
    addTopic: (channelId: string, name: string) =>
      toChannelId({ chatId: Number(channelId), topicId: addTopic(book, Number(channelId), name) }),
    addStickerSet(name: string, title: string, emojis: string[]): FakeSticker[] {
      const stickers = emojis.map((emoji, index) => ({
        file_id: `sticker-${name}-${index}`,
        file_unique_id: `${name}-${index}`,
        type: "regular",
        emoji,
        set_name: name,
      }));
      book.stickerSets.set(name, { title, stickers });
      return stickers;
    },
    addFile: (data: string, path: string, size?: number) => book.addFile(Buffer.from(data), path, size),
  };
}

function applyFault({ line, state, server }: Stage, fault: Fault, onChange: () => void): void {
  if (fault.type === "status" || fault.type === "cut" || fault.type === "slow") server.fail(fault);
  else if (fault.type === "drop-socket") server.dropSockets();
  else if (fault.type === "platform") applyPlatformFault(fault.name, line, state);
  else line.fail(fault.type);
  onChange();
}

/** Those of Telegram's own. They last until their `…-gone`; a deaf connection until it is replaced. */
function applyPlatformFault(name: string, line: Stage["line"], state: Stage["state"]): void {
  if (name === "second-poller") {
    state.hasSecondPoller = true;
    line.refuse(otherPoller());
  } else if (name === "second-poller-gone") state.hasSecondPoller = false;
  else if (name === "revoke-token") {
    state.isRevoked = true;
    line.refuse(new BotError(401, "Unauthorized"));
  } else if (name === "restore-token") state.isRevoked = false;
  else if (name === "deaf") line.deafen();
  else throw new Error(`Telegram has no fault "${name}"`);
}

function toSeenPost(message: FakeMessage): SeenPost {
  return {
    id: String(message.id),
    channelId: toChannelId(message),
    text: message.text,
    ...(message.replyTo !== undefined && { replyTo: String(message.replyTo) }),
    isDeleted: message.isDeleted,
    edits: message.edits,
    files: message.files.map(({ filename, bytes }) => ({ filename, bytes })),
  };
}

function missing(what: string): never {
  throw new Error(`There is no ${what}`);
}
