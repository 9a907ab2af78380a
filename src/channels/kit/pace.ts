/**
 * How fast a platform may be called: a bucket of calls per chat and one for all of them, refilled steadily, and the pauses
 * that the platform asks for. Replies wait for their turn; what is only for show goes when there is room, or not at all.
 */
import type { Clock } from "../../contracts/clock.ts";

export interface Bucket {
  /** Calls that may be made at once after a rest; at least 1. */
  burst: number;
  /** Calls a second in the long run; above 0. */
  perSecond: number;
}

export interface PaceLimits {
  chat: Bucket | ((chatId: string) => Bucket);
  /** Over all chats. Absent: none. */
  all?: Bucket;
}

export type PaceAnswer = { type: "go" } | { type: "later"; ms: number };

export interface Pace {
  /**
   * Resolves when the call may be made; where that takes longer than `maxWaitMs` (absent: five seconds), at once with how
   * long it would take, and nothing is used up. Never rejects.
   */
  take(chatId: string, maxWaitMs?: number): Promise<PaceAnswer>;
  /** For show only: true when it may go now and replies would still have room. */
  tryTake(chatId: string): boolean;
  /** The platform asked for it. Without a chat: for all. */
  pause(ms: number, chatId?: string): void;
  /** Whoever waits is sent away with `later`; so is whoever comes after. Leaves no timer. */
  stop(): void;
}

const usualWaitMs = 5_000;
/** Chats that are remembered before those are looked for that have rested enough to be forgotten. */
const manyChats = 1_000;

export function createPace({ clock }: { clock: Clock }, { chat, all }: PaceLimits): Pace {
  const stopped = new AbortController();
  const bucketOf = typeof chat === "function" ? chat : () => chat;
  const chats = new Map<string, Level>();
  const whole = createLevel(all ?? { burst: Number.MAX_SAFE_INTEGER, perSecond: 1 }, clock.monotonic());
  let forgetAt = manyChats;

  function levelsOf(chatId: string, nowMs: number): Level[] {
    const known = chats.get(chatId);
    if (known) return [known, whole];
    if (chats.size >= forgetAt) {
      for (const [id, level] of chats) if (level.isIdle(nowMs)) chats.delete(id);
      forgetAt = Math.max(manyChats, chats.size * 2);
    }
    const level = createLevel(bucketOf(chatId), nowMs);
    chats.set(chatId, level);
    return [level, whole];
  }

  return {
    async take(chatId, maxWaitMs = usualWaitMs) {
      const startMs = clock.monotonic();
      const levels = levelsOf(chatId, startMs);
      const firstWaitMs = Math.max(...levels.map((level) => level.waitMs(startMs)));
      if (firstWaitMs > maxWaitMs) return { type: "later", ms: Math.ceil(firstWaitMs) };
      // Taken before the wait, so that whoever comes next queues behind.
      for (const level of levels) level.add(-1, startMs);
      for (let nowMs = startMs; ; nowMs = clock.monotonic()) {
        // A pause may have been asked for meanwhile.
        const waitMs = Math.max(startMs + firstWaitMs - nowMs, ...levels.map((level) => level.pauseMs(nowMs)));
        if (stopped.signal.aborted || nowMs + waitMs - startMs > maxWaitMs) {
          for (const level of levels) level.add(1, nowMs);
          return { type: "later", ms: Math.ceil(waitMs) };
        }
        if (waitMs <= 0) return { type: "go" };
        await clock.sleep(waitMs, stopped.signal).catch(() => undefined);
      }
    },
    tryTake(chatId) {
      const nowMs = clock.monotonic();
      const levels = levelsOf(chatId, nowMs);
      if (stopped.signal.aborted || !levels.every((level) => level.hasRoom(nowMs))) return false;
      for (const level of levels) level.add(-1, nowMs);
      return true;
    },
    pause(ms, chatId) {
      const nowMs = clock.monotonic();
      const [level = whole] = chatId === undefined ? [] : levelsOf(chatId, nowMs);
      level.pause(ms, nowMs);
    },
    stop: () => stopped.abort(),
  };
}

/** How full one bucket is. Below zero: so many calls wait for their turn. */
interface Level {
  add(calls: number, nowMs: number): void;
  /** Until one more call could go, behind those that wait. */
  waitMs(nowMs: number): number;
  /** A call now would leave a part of the burst to the replies. */
  hasRoom(nowMs: number): boolean;
  pause(ms: number, nowMs: number): void;
  pauseMs(nowMs: number): number;
  /** Full and not paused: forgetting it changes nothing. */
  isIdle(nowMs: number): boolean;
}

function createLevel({ burst, perSecond }: Bucket, startMs: number): Level {
  let calls = burst;
  let filledAtMs = startMs;
  let pausedUntilMs = startMs;
  const roomForShow = Math.min(burst, 1 + Math.ceil(burst / 4));
  const fill = (nowMs: number) => {
    calls = Math.min(burst, calls + ((nowMs - filledAtMs) / 1_000) * perSecond);
    filledAtMs = nowMs;
    return calls;
  };
  const pauseMs = (nowMs: number) => Math.max(0, pausedUntilMs - nowMs);
  return {
    add(count, nowMs) {
      calls = Math.min(burst, fill(nowMs) + count);
    },
    waitMs: (nowMs) => Math.max(pauseMs(nowMs), ((1 - fill(nowMs)) / perSecond) * 1_000, 0),
    hasRoom: (nowMs) => pauseMs(nowMs) === 0 && fill(nowMs) >= roomForShow,
    pause(ms, nowMs) {
      pausedUntilMs = Math.max(pausedUntilMs, nowMs + ms);
    },
    pauseMs,
    isIdle: (nowMs) => pauseMs(nowMs) === 0 && fill(nowMs) >= burst,
  };
}
