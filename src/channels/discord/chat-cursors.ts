/** The last message that was taken in each chat, kept across restarts: where to read on when a session could not be resumed. */
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import type { ChannelMemory } from "../definition.ts";
import { isId, isNewer, toId } from "./format.ts";
import { createWriteBehind } from "./write-behind.ts";

export interface ChatCursors {
  load(): Promise<void>;
  /** A message of this chat was taken. */
  saw(channelId: string, messageId: string, isDirect: boolean): void;
  /** A new session begins: what was on its way in an earlier one is lost, also in chats that nobody had heard of. */
  beginSession(): void;
  /** The message after which something may have been missed. Undefined: nothing can have been, everything there is old. */
  after(channelId: string): string | undefined;
  /** Direct chats; Discord does not list them. */
  directChats(): string[];
  /** The same for a chat in which mom has never heard anything. Undefined also for the others. */
  unheardSince(channelId: string): string | undefined;
  /** Writes down what is left; nothing after it. */
  end(): Promise<void>;
}

interface Cursor {
  last: string;
  isDirect: boolean;
}

const memoryKey = "chats";
const bornKey = "born";
/** What is older was heard, and forgotten since. */
const longestUnheardMs = 24 * 3600_000;
/** Those that were heard of last. */
const mostChats = 500;

export interface ChatCursorsDeps {
  clock: Clock;
  log: Log;
  memory: ChannelMemory;
}

export function createChatCursors(deps: ChatCursorsDeps): ChatCursors {
  const { memory, clock } = deps;
  const chats = new Map<string, Cursor>();
  /** When this login was first used. */
  let born = toId(clock.now());
  let hadSession = false;
  let hasLostSession = false;
  const what = "The last messages of Discord's chats";
  const file = createWriteBehind(deps, { what, delayMs: 5_000 }, () => memory.set(memoryKey, [...chats]));

  const unheardSince = (channelId: string) => {
    if (!hasLostSession || chats.has(channelId)) return undefined;
    const oldest = toId(clock.now() - longestUnheardMs);
    return isNewer(oldest, born) ? oldest : born;
  };

  return {
    async load() {
      for (const [channelId, cursor] of parseCursors(await memory.get(memoryKey))) chats.set(channelId, cursor);
      const kept = await memory.get(bornKey);
      hadSession = typeof kept === "string" && isId(kept);
      if (typeof kept === "string" && hadSession) born = kept;
      else await memory.set(bornKey, born);
    },
    saw(channelId, messageId, isDirect) {
      if (!isId(messageId)) return;
      const known = chats.get(channelId)?.last;
      const last = known !== undefined && isNewer(known, messageId) ? known : messageId;
      chats.delete(channelId);
      const [oldest] = chats.keys();
      if (oldest !== undefined && chats.size >= mostChats) chats.delete(oldest);
      chats.set(channelId, { last, isDirect });
      file.touch();
    },
    beginSession() {
      hasLostSession = hadSession;
      hadSession = true;
    },
    after: (channelId) => chats.get(channelId)?.last ?? unheardSince(channelId),
    directChats: () => [...chats].flatMap(([channelId, { isDirect }]) => (isDirect ? [channelId] : [])),
    unheardSince,
    end: file.end,
  };
}

function parseCursors(kept: unknown): [string, Cursor][] {
  return Array.isArray(kept) ? kept.filter(isEntry) : [];
}

function isEntry(entry: unknown): entry is [string, Cursor] {
  if (!Array.isArray(entry) || typeof entry[0] !== "string") return false;
  const { last, isDirect }: Partial<Cursor> = Object(entry[1]);
  return typeof last === "string" && isId(last) && typeof isDirect === "boolean";
}
