/**
 * How far mom has heard each conversation: up to a mark without a gap, kept across restarts so that what was missed can be
 * fetched; and the ids of the last messages, so that what comes twice is not converted twice. All times are Slack's.
 */
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import type { ChannelMemory } from "../definition.ts";
import { isAfter, toRecord } from "./wire.ts";

export interface Cursors {
  /** Before everything else. */
  load(): Promise<void>;
  /** No earlier life of this login is known: there is nothing to catch up with. */
  readonly isFirstLife: boolean;
  /** Was the message taken in this life? */
  has(channelId: string, id: string): boolean;
  /** It was taken, or is mom's own. */
  note(channelId: string, id: string, ts: string): void;
  /** The newest of a conversation; undefined where nothing was heard in it. */
  newestIn(channelId: string): string | undefined;
  /** Up to here nothing of the conversation was missed. */
  markOf(channelId: string): string;
  /** Something may have been missed in it: its mark stays where it is until `release`. */
  hold(channelId: string): void;
  release(channelId: string): void;
  /** The same for the conversations in which nothing was heard yet, all together. */
  holdOthers(): void;
  releaseOthers(): void;
  /** A time before anything that this life of mom has done there; undefined where none is known. */
  startOf(channelId: string): string | undefined;
  /** Conversations, the most recently active first. */
  recent(): string[];
  /** Writes what is not written yet. Never rejects. */
  stop(): Promise<void>;
}

const memoryKey = "cursors";
const mostChannels = 1_000;
const mostIds = 200;
/** What a crash loses of it is fetched again, and known by its ids. */
const writeAfterMs = 2_000;

interface Heard {
  newest: string | undefined;
  mark: string | undefined;
  isHeld: boolean;
  ids: Set<string>;
}

export function createCursors({ clock, log, memory }: { clock: Clock; log: Log; memory: ChannelMemory }): Cursors {
  const channels = new Map<string, Heard>();
  const starts = new Map<string, string>();
  let newest = "0";
  /** The mark of every conversation that has none of its own. */
  let others = "0";
  let areOthersHeld = false;
  let othersAtStart: string | undefined;
  let isFirstLife = true;
  let cancelWrite: (() => void) | undefined;
  let isStopped = false;

  const write = async () => {
    cancelWrite?.();
    cancelWrite = undefined;
    const marks = [...channels].flatMap(([id, { mark }]) => (mark === undefined ? [] : [[id, mark]]));
    await memory.set(memoryKey, { others, channels: marks }).catch((error: unknown) => {
      log.warn("How far Slack was heard could not be written down", { error });
    });
  };
  /** The one that was active last is the last in the map. */
  const touch = (channelId: string): Heard => {
    const heard = channels.get(channelId) ?? { newest: undefined, mark: undefined, isHeld: false, ids: new Set() };
    channels.delete(channelId);
    channels.set(channelId, heard);
    const [oldest] = channels.keys();
    if (channels.size > mostChannels && oldest !== undefined) channels.delete(oldest);
    return heard;
  };

  return {
    async load() {
      const kept = await memory.get(memoryKey).catch((error: unknown) => {
        log.warn("How far Slack was heard could not be read", { error });
      });
      const { others: known, channels: marks } = toRecord(kept);
      isFirstLife = typeof known !== "string";
      others = typeof known === "string" ? known : `${Math.floor(clock.now() / 1000)}.000000`;
      for (const [id, ts] of Array.isArray(marks) ? marks : []) {
        if (typeof id !== "string" || typeof ts !== "string") continue;
        Object.assign(touch(id), { newest: ts, mark: ts });
        starts.set(id, ts);
        if (isAfter(ts, newest)) newest = ts;
      }
      othersAtStart = isFirstLife ? undefined : others;
      if (isFirstLife) await write();
    },
    get isFirstLife() {
      return isFirstLife;
    },
    has: (channelId, id) => channels.get(channelId)?.ids.has(id) === true,
    note(channelId, id, ts) {
      const heard = touch(channelId);
      heard.ids.add(id);
      const [oldest] = heard.ids;
      if (heard.ids.size > mostIds && oldest !== undefined) heard.ids.delete(oldest);
      if (isAfter(ts, heard.newest ?? "0")) heard.newest = ts;
      if (!heard.isHeld) heard.mark = heard.newest;
      if (isAfter(ts, newest)) newest = ts;
      if (!areOthersHeld && isAfter(newest, others)) others = newest;
      if (!isStopped) cancelWrite ??= clock.after(writeAfterMs, () => void write());
    },
    newestIn: (channelId) => channels.get(channelId)?.newest,
    markOf: (channelId) => channels.get(channelId)?.mark ?? others,
    hold(channelId) {
      const heard = touch(channelId);
      heard.mark ??= others;
      heard.isHeld = true;
    },
    release(channelId) {
      const heard = channels.get(channelId);
      if (!heard?.isHeld) return;
      heard.isHeld = false;
      heard.mark = heard.newest ?? heard.mark;
    },
    holdOthers() {
      areOthersHeld = true;
    },
    releaseOthers() {
      areOthersHeld = false;
      if (isAfter(newest, others)) others = newest;
    },
    startOf: (channelId) => starts.get(channelId) ?? othersAtStart,
    recent: () => [...channels.keys()].reverse(),
    async stop() {
      isStopped = true;
      if (cancelWrite) await write();
    },
  };
}
