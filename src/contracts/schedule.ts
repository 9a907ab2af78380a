/**
 * Everything that is due later, on one durable clock: reminders and jobs, event files, heartbeats, subagents that wait for
 * their turn. What comes due ends as one row of the ledger, and mostly as a letter in the inbox, in one step: once per
 * occurrence, across crashes and however many processes look at the clock.
 */
import type { TurnId } from "./ids.ts";
import type { Accepted, Letter, NewDelivery } from "./letter.ts";

export type DueSource = "cron" | "event" | "heartbeat" | "subagent";

/** Something with a next occurrence. Named by source and id. */
export interface DueItem {
  source: DueSource;
  id: string;
  /** When the next occurrence is due, milliseconds since the epoch. Absent: never, as it stands (switched off, done). */
  dueAt?: number;
  /** Its source's own, JSON. Undefined: what lies there cannot be read; its source ends it, and nobody else is held up. */
  data: unknown;
  createdAt: number;
  updatedAt: number;
}

/** How a due time ended. Of one that ran, the turn says how the run went. */
export type OccurrenceState = "ran" | "skipped" | "missed";

export interface LedgerRow {
  source: DueSource;
  id: string;
  /** When it was due; of a run that somebody asked for, when they did. */
  dueAt: number;
  state: OccurrenceState;
  /** Why it was skipped or missed; of one that ran late or by hand, that. */
  reason?: string;
  /** When this was decided. */
  settledAt: number;
  /** The first turn that it started. */
  turnId?: TurnId;
}

/** What becomes of an occurrence, and of its item. */
export interface OccurrenceEnd {
  state: OccurrenceState;
  reason?: string;
  /** How the item goes on: `dueAt` absent leaves it at rest, `data` absent leaves that as it is. Null: it is gone. */
  next: { dueAt?: number; data?: unknown } | null;
  /** Put into the inbox in the same step. */
  letters?: readonly Letter[];
  /** Posted in the same step. */
  deliveries?: readonly NewDelivery[];
  /** No row of the ledger: one more in a row of skips alike, whose first has one. Only where there are neither letters nor posts. */
  isUnlisted?: true;
  /** Due times before this one that nobody could serve, each a row of its own. Bounded by the caller. */
  missed?: readonly { dueAt: number; reason: string }[];
}

/** The rows. `Scheduler` below is who looks at them. */
export interface DueClock {
  /** Adds it, or puts it in the place of the one there was. Durable when it resolves. */
  put(item: Omit<DueItem, "createdAt" | "updatedAt">): Promise<DueItem>;
  get(source: DueSource, id: string): Promise<DueItem | undefined>;
  /** By id. */
  list(source: DueSource): Promise<DueItem[]>;
  /** Reads, changes and writes in one step. Undefined: there is none, or `change` gave undefined and nothing was written. */
  change(
    source: DueSource,
    id: string,
    change: (item: DueItem) => (Pick<DueItem, "data"> & { dueAt?: number }) | undefined,
  ): Promise<DueItem | undefined>;
  /** False: there was none. */
  remove(source: DueSource, id: string): Promise<boolean>;
  /** Due by `now`, soonest first; a bounded number at a time. `after`: only those behind this one (paging past what must wait). */
  due(now: number, after?: Pick<DueItem, "source" | "id" | "dueAt">): Promise<DueItem[]>;
  /** When the soonest that is due later than `after` is due; undefined when there is none. */
  nextDueAt(after: number): Promise<number | undefined>;
  /**
   * Ends the occurrence of `item` that is due at `at` (absent: at `item.dueAt`): ledger, item, letters and posts in one step.
   * Undefined: the item is gone or was changed meanwhile (another `updatedAt` or `dueAt`), and nothing has changed; or that
   * occurrence ran before (a clock turned back, an item made anew under an old id): then nothing happens again, and the
   * item only goes on as `next` says, unless `at` is another time than its own. One that was only skipped or missed may end
   * again, and rows of such times that have not come yet (by a clock that was ahead) are dropped.
   */
  settle(item: DueItem, end: OccurrenceEnd, at?: number): Promise<{ accepted: Accepted[] } | undefined>;
  /** Newest due time first. */
  ledger(filter: { source?: DueSource; id?: string; limit: number }): Promise<LedgerRow[]>;
}

/** Who knows what an item of one source means. */
export interface DueHandler {
  /**
   * Asked for every item that has come due, one at a time per source; asked again after a crash, or where the item changed
   * before its end was written. Must have no effect of its own but reading. `wait`: not now; asked again at `untilMs`, or at
   * the next `wake`. Throwing puts it off for a while.
   */
  decide(
    item: DueItem,
    nowMs: number,
  ): Promise<({ type: "settle" } & OccurrenceEnd) | { type: "wait"; untilMs?: number }>;
  /** The end is on disk. Not called again after a crash. Must not throw. */
  settled?(item: DueItem, end: OccurrenceEnd, accepted: readonly Accepted[]): void;
  /**
   * The wall clock has been turned back (or a start finds it earlier than it was): items of this source whose next time was
   * reckoned from a time that has not come yet must be reckoned anew. Absent: nothing hangs on it.
   */
  clockTurnedBack?(nowMs: number): Promise<void>;
}

/** Looks at the clock: one timer for the soonest, never a long sleep, so that a jump or a suspended machine is noticed within a minute. */
export interface Scheduler {
  /** One per source, before `start`. */
  register(source: DueSource, handler: DueHandler): void;
  /** Serves what came due meanwhile. May be called again. */
  start(): Promise<void>;
  /** Something was put on the clock, or what was waited for may have happened. Quick. */
  wake(): void;
  /** No handler is asked after it resolves. */
  stop(): Promise<void>;
}
