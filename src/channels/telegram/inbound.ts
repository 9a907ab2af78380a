/**
 * Telegram's updates → `ChannelMessage`s → the app. In order within a chat; `take` says whether an update may be
 * acknowledged. Who may talk is decided later: everything that is seen is passed on.
 */
import { createHash } from "node:crypto";
import type { CallbackQuery, ChatMemberUpdated, Message, Update } from "grammy/types";
import { createKeyedQueue } from "../../base/keyed-queue.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import type { ChannelMessage } from "../../contracts/message.ts";
import type { Directory } from "../kit/directory.ts";
import type { Handlers } from "../kit/handlers.ts";
import type { Offer } from "../kit/offer.ts";
import { toPress } from "./buttons.ts";
import type { TelegramClient } from "./client.ts";
import { describeContent, listFiles } from "./content.ts";
import type { Downloads } from "./downloads.ts";
import type { Menu } from "./menu.ts";
import { findForwarded, findReplied, listChannels, placeOf, toSender } from "./message.ts";
import { toChannelId } from "./place.ts";
import type { PlaceBook } from "./place-book.ts";
import type { Stickers } from "./stickers.ts";
import { type Me, type ReadText, readText } from "./text.ts";
import { attempt } from "./text-calls.ts";

/** What is asked for. Telegram tells bots nothing of deletions. */
export const updateTypes = [
  "message",
  "edited_message",
  "channel_post",
  "edited_channel_post",
  "callback_query",
  "my_chat_member",
  "stopped_message_generation",
] as const;

export interface Inbound {
  /** True when mom has it for good, or has no use for it; false when it must be given again. Never rejects. */
  take(update: Update): Promise<boolean>;
}

export interface InboundDeps {
  client: TelegramClient;
  clock: Clock;
  log: Log;
  directory: Directory;
  offer: Offer;
  handlers: Handlers;
  downloads: Downloads;
  menu: Menu;
  places: PlaceBook;
  stickers: Stickers;
  /** Whose press settles a question; only for looks, rights are decided elsewhere. */
  isAdmin(userId: string): boolean;
}

const mostBotChats = 10_000;

export function createInbound(deps: InboundDeps, me: Me): Inbound {
  const { client, clock, log, directory, offer, handlers, menu } = deps;
  const queue = createKeyedQueue();
  /** Groups with other bots: there a bare command may be meant for one of those. */
  const botChats = new Set<number>();

  async function notice(message: Message): Promise<void> {
    const { id, username, displayName } = toSender(message);
    directory.putUser({ id, username, ...(displayName !== undefined && { displayName }) });
    for (const channel of listChannels(message, (known) => directory.channel(known)?.name))
      directory.putChannel(channel);
    if (hasOtherBot(message, me)) noteBotChat(message.chat.id);
    if (message.migrate_to_chat_id !== undefined)
      await deps.places.noteMove(message.chat.id, message.migrate_to_chat_id);
    if (message.sticker) await deps.stickers.notice(message.sticker);
  }
  const noteBotChat = (chatId: number) => {
    if (botChats.size < mostBotChats) botChats.add(chatId);
  };
  const isAddressed = (message: Message, { isNamed, command }: ReadText): boolean => {
    if (message.chat.type === "private") return true;
    if (message.chat.type === "channel") return false;
    if (isNamed || findReplied(message)?.from?.id === me.id) return true;
    if (command?.bot !== undefined) noteBotChat(message.chat.id);
    const isForWhoeverKnows = command !== undefined && command.bot === undefined && !botChats.has(message.chat.id);
    return isForWhoeverKnows && menu.knows(command.name);
  };
  async function hear(message: Message): Promise<boolean> {
    await notice(message);
    const files = listFiles(message);
    const read = readText(message, me);
    const words = read.text || describeContent(message);
    if (message.from?.id === me.id || (words === undefined && files.length === 0)) return true;
    const { attachments, notes } = await deps.downloads.fetchAll(toChannelId(placeOf(message)), files);
    const forwarded = findForwarded(message);
    // A forwarded word is not the sender's own: it must not count as a command.
    const origin = forwarded === undefined ? [] : [`(forwarded from ${forwarded})`];
    const said = menu.toOwnName(words ?? "", read.command?.name);
    const text = [...origin, ...(said === "" ? [] : [said]), ...notes].join("\n");
    return offer.offer({
      ...toBase(message),
      text,
      ...(read.rawText !== undefined && { rawText: read.rawText }),
      attachments,
      isMention: isAddressed(message, read),
      ...withMetadata(message, forwarded),
    });
  }
  async function hearEdit(message: Message & Update.Edited): Promise<boolean> {
    await notice(message);
    const { text, rawText } = readText(message, me);
    const words = text || describeContent(message);
    if (message.from?.id === me.id || words === undefined) return true;
    const ref = String(message.message_id);
    return offer.offer({
      ...toBase(message),
      // Telegram counts in seconds, and somebody may correct a correction.
      id: `${ref}:edit:${message.edit_date}:${createHash("sha256").update(words).digest("hex").slice(0, 8)}`,
      timestamp: toTimestamp(message.edit_date),
      text: words,
      ...(rawText !== undefined && { rawText }),
      isMention: false,
      change: { type: "edit", ref },
      ...withMetadata(message),
    });
  }
  async function hearPress(query: CallbackQuery): Promise<boolean> {
    const press = toPress(query, me.id, clock.now());
    if (press && !(await offer.offer(press))) return false;
    const text = press ? {} : { text: "This button no longer works. Please answer in words." };
    // Only looks: the answer ends the button's spinning, and what an admin has pressed cannot be pressed again.
    void attempt(() => client.api.answerCallbackQuery({ callback_query_id: query.id, ...text }));
    const { message } = query;
    if (press && message && deps.isAdmin(press.sender.id)) {
      const where = { chat_id: message.chat.id, message_id: message.message_id };
      void attempt(() => client.api.editMessageReplyMarkup(where));
    }
    return true;
  }
  function noticeMember({ chat, new_chat_member: { status } }: ChatMemberUpdated): boolean {
    log.info("mom's place in a chat has changed", { chat: chat.id, status });
    if (status !== "left" && status !== "kicked") return true;
    const gone = directory
      .channels()
      .filter(({ id, parentId }) => id === String(chat.id) || parentId === String(chat.id));
    for (const { id } of gone) directory.removeChannel(id);
    return true;
  }

  async function read(update: Update): Promise<boolean> {
    const { message = update.channel_post, edited_message = update.edited_channel_post } = update;
    if (message) return hear(message);
    if (edited_message) return hearEdit(edited_message);
    if (update.callback_query) return hearPress(update.callback_query);
    if (update.my_chat_member) return noticeMember(update.my_chat_member);
    const stopped = update.stopped_message_generation;
    if (stopped) {
      const { chat, message_thread_id: topicId } = stopped;
      const place = { chatId: chat.id, ...(topicId !== undefined && { topicId }) };
      await handlers.askStop(toChannelId(place), String(chat.id));
    }
    return true;
  }
  return {
    async take(update) {
      try {
        return await queue.run(String(chatOf(update)), () => read(update));
      } catch (error) {
        log.error("An update of Telegram's could not be read; it is skipped", { update: update.update_id, error });
        return true;
      }
    },
  };
}

function chatOf(update: Update): number | undefined {
  const { message, edited_message, channel_post, edited_channel_post, callback_query, my_chat_member } = update;
  const within = message ?? edited_message ?? channel_post ?? edited_channel_post ?? my_chat_member;
  return (within ?? callback_query?.message ?? update.stopped_message_generation)?.chat.id;
}

function toBase(message: Message): Omit<ChannelMessage, "text" | "isMention"> {
  const replied = findReplied(message);
  return {
    id: String(message.message_id),
    channelId: toChannelId(placeOf(message)),
    timestamp: toTimestamp(message.date),
    sender: toSender(message),
    attachments: [],
    ...(replied && { replyTo: String(replied.message_id) }),
  };
}

const toTimestamp = (seconds: number): string => new Date(seconds * 1_000).toISOString();

function withMetadata(message: Message, forwarded?: string): Pick<ChannelMessage, "metadata"> {
  const { topicId } = placeOf(message);
  const metadata = {
    ...(topicId !== undefined && { topicId: String(topicId) }),
    ...(forwarded !== undefined && { outside: `a message forwarded from ${forwarded}` }),
  };
  return Object.keys(metadata).length === 0 ? {} : { metadata };
}

function hasOtherBot({ from, sender_chat, new_chat_members, chat }: Message, me: Me): boolean {
  if (chat.type === "private") return false;
  // Whoever speaks for a chat comes with a stand-in that is called a bot.
  const people = [...(sender_chat || !from ? [] : [from]), ...(new_chat_members ?? [])];
  return people.some(({ is_bot, id }) => is_bot && id !== me.id);
}
