/**
 * The gateway session, kept across restarts, and how far its events are taken. The sequence that is kept, and that Discord is
 * told, is that of the last event before which all others are on disk: whoever resumes with it gets again what was not taken.
 */
import type { SessionInfo } from "@discordjs/ws";
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import type { ChannelMemory } from "../definition.ts";
import { createWriteBehind } from "./write-behind.ts";

export interface SessionBook {
  /** What an earlier life left. */
  load(): Promise<void>;
  /** To resume with. Null: there is none. */
  readonly info: SessionInfo | null;
  /** The library has another session, or none any more. What it says of the sequence of a known one is not believed. */
  set(info: SessionInfo | null): void;
  /** The first event of a new session is taken when everything is that was missed before it. */
  beginFirst(): Done;
  /**
   * An event has come. Undefined: it was there before, or there are too many at once; it must not be handled. The result says
   * that it is on disk, or needs not be.
   */
  begin(sequence: number): Done | undefined;
  /**
   * Resolves when this session is on disk. Nothing of it may be handled before: killed in between, nobody could ask for it
   * again.
   */
  readonly kept: Promise<void>;
  /** Events were turned away: the session must be resumed to get them again. */
  readonly isFull: boolean;
  /** For whoever is about to resume it: resolves when there is room again. */
  whenRoom(): Promise<void>;
  /** Writes down what is left; nothing after it. */
  end(): Promise<void>;
}

export type Done = () => void;

const memoryKey = "session";
const mostWaiting = 1_000;

export interface SessionBookDeps {
  clock: Clock;
  log: Log;
  memory: ChannelMemory;
}

/** One session, as far as it is known here. */
interface Entry {
  info: SessionInfo;
  first: number;
  newest: number;
  /** Events that are being taken, oldest first. */
  open: Set<number>;
  kept: Promise<void>;
  onKept(): void;
}

export function createSessionBook(deps: SessionBookDeps): SessionBook {
  const { memory } = deps;
  let entry: Entry | undefined;
  let isFull = false;
  let onRoom = () => {};

  const file = createWriteBehind(deps, { what: "The Discord session", delayMs: 1_000 }, async () => {
    if (!entry) return memory.delete(memoryKey);
    // What was missed before it is still being fetched: the session before this one must be tried again.
    if (entry.open.has(entry.first)) return;
    const { onKept } = entry;
    await memory.set(memoryKey, toInfo(entry));
    onKept();
  });
  const isBusy = () => (entry?.open.size ?? 0) > mostWaiting / 2;
  const toDone = (of: Entry, sequence: number): Done => {
    of.open.add(sequence);
    return () => {
      if (of.open.delete(sequence) && of === entry) file.touch();
      if (sequence === of.first && of === entry) void file.flush();
      if (!isBusy()) onRoom();
    };
  };

  return {
    async load() {
      const info = parseSession(await memory.get(memoryKey));
      if (info) entry = { ...createEntry(info), first: -1, kept: Promise.resolve() };
    },
    get info() {
      return entry ? toInfo(entry) : null;
    },
    set(info) {
      if (info && info.sessionId === entry?.info.sessionId) return;
      // Nothing of the old one comes again, so nothing is won by waiting.
      entry?.onKept();
      entry = info ? createEntry(info) : undefined;
      if (entry) entry.open.add(entry.first);
      file.touch();
    },
    beginFirst: () => (entry ? toDone(entry, entry.first) : () => undefined),
    begin(sequence) {
      if (!entry || isFull || sequence <= entry.newest) return undefined;
      if (entry.open.size >= mostWaiting) {
        isFull = true;
        return undefined;
      }
      entry.newest = sequence;
      return toDone(entry, sequence);
    },
    get kept() {
      return entry?.kept ?? Promise.resolve();
    },
    get isFull() {
      return isFull;
    },
    async whenRoom() {
      if (isBusy()) {
        await new Promise<void>((resolve) => {
          onRoom = resolve;
        });
      }
      isFull = false;
    },
    end: file.end,
  };
}

function createEntry(info: SessionInfo): Entry {
  const { promise: kept, resolve: onKept } = Promise.withResolvers<void>();
  return { info, first: info.sequence, newest: info.sequence, open: new Set(), kept, onKept };
}

/** With the sequence up to which everything is taken. */
function toInfo({ info, open, newest }: Entry): SessionInfo {
  const [oldest] = open;
  return { ...info, sequence: oldest === undefined ? newest : oldest - 1 };
}

function parseSession(kept: unknown): SessionInfo | undefined {
  const { sessionId, resumeURL, sequence, shardId, shardCount }: Partial<SessionInfo> = Object(kept);
  const isWhole =
    typeof sessionId === "string" &&
    typeof resumeURL === "string" &&
    typeof sequence === "number" &&
    typeof shardId === "number" &&
    typeof shardCount === "number";
  return isWhole ? { sessionId, resumeURL, sequence, shardId, shardCount } : undefined;
}
