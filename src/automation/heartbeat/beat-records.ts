/** What is kept of an agent's heart: with its item on the clock how it goes on, beside it what was said and what came last. */
import type { HeartbeatEvent } from "../../contracts/heartbeat.ts";
import type { TurnId } from "../../contracts/ids.ts";
import type { DueItem } from "../../contracts/schedule.ts";
import type { KeyValue } from "../../contracts/store.ts";

/** `DueItem.data` of a heartbeat. */
export interface BeatData {
  /** What the next time was reckoned from; when the config has another, it is reckoned anew. */
  plan: string;
  /** Skips alike in a row: only the first is in the ledger. */
  skips?: { reason: string; count: number };
  /** Beats that failed in a row; they are spaced out by it. */
  failures?: number;
  /** Lines of the chat that a beat has been shown, though its conversation has not; by id. */
  shown?: string[];
}

/** `Errand.data` of a heartbeat. */
export interface BeatNote {
  /** Unread lines that it was shown, by id. */
  shown: string[];
}

/** Something that was said, so that it is not said again. */
export interface Said {
  turnId: TurnId;
  /** Milliseconds since the epoch. */
  ts: number;
  hash: string;
}

export interface LastBeat {
  event: HeartbeatEvent;
  /** The last one that ran, though skipped ones may have come after it. */
  turnId?: TurnId;
}

const scope = "heartbeat";
const mostSaid = 100;
export const mostShown = 50;

export function parseBeatData({ data }: Pick<DueItem, "data">): BeatData {
  // Written by this room alone; what a newer or older mom, or a hand in the database, has left otherwise counts as left out.
  const known = typeof data === "object" && data !== null ? (data as Record<keyof BeatData, unknown>) : undefined;
  const { plan, skips, failures, shown } = known ?? {};
  return {
    plan: typeof plan === "string" ? plan : "",
    ...(isSkips(skips) && { skips }),
    ...(Number.isSafeInteger(failures) && { failures: Number(failures) }),
    ...(Array.isArray(shown) && { shown: shown.filter((id) => typeof id === "string") }),
  };
}

const isSkips = (skips: unknown): skips is NonNullable<BeatData["skips"]> =>
  typeof skips === "object" &&
  skips !== null &&
  typeof Reflect.get(skips, "reason") === "string" &&
  Number.isSafeInteger(Reflect.get(skips, "count"));

export function parseBeatNote(data: unknown): BeatNote {
  const shown = typeof data === "object" && data !== null && "shown" in data ? data.shown : undefined;
  return { shown: Array.isArray(shown) ? shown.filter((id) => typeof id === "string") : [] };
}

export function createBeatRecords(kv: KeyValue) {
  const listSaid = async (agentId: string): Promise<Said[]> => {
    const value = await kv.get(scope, `said:${agentId}`);
    return Array.isArray(value) ? (value as Said[]) : [];
  };
  return {
    listSaid,
    /** Twice for one turn is once. */
    async noteSaid(agentId: string, said: Said): Promise<void> {
      const others = (await listSaid(agentId)).filter(({ turnId }) => turnId !== said.turnId);
      await kv.set(scope, `said:${agentId}`, [...others, said].slice(-mostSaid));
    },
    async last(agentId: string): Promise<LastBeat | undefined> {
      return (await kv.get(scope, `last:${agentId}`)) as LastBeat | undefined;
    },
    async noteLast(agentId: string, last: LastBeat): Promise<void> {
      await kv.set(scope, `last:${agentId}`, last);
    },
    async forget(agentId: string): Promise<void> {
      await kv.delete(scope, `said:${agentId}`);
      await kv.delete(scope, `last:${agentId}`);
    },
  };
}

export type BeatRecords = ReturnType<typeof createBeatRecords>;
