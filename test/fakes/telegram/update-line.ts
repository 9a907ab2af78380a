/**
 * What waits for the bot: updates in order, each kept until a higher offset is asked for, and the one long poll that is
 * open. Faults of events (twice, in another order, late) happen here.
 */
import type { Fault } from "../platform.ts";
import { type BotError, otherPoller } from "./bot-error.ts";

export type Update = { update_id: number } & Record<string, unknown>;
type NewUpdate = Record<string, unknown>;
type EventFault = Extract<Fault["type"], "duplicate" | "reorder" | "late">;

export interface Poll {
  offset: number;
  limit: number;
  timeoutMs: number;
  /** A deaf connection stays deaf; a new one is not. */
  connection: object;
  answer(updates: Update[]): void;
  refuse(error: BotError): void;
}

export interface UpdateLine {
  push(update: NewUpdate): void;
  fail(fault: EventFault): void;
  /** Answers now, or when something comes, or when its time is over. The result takes it back. */
  poll(poll: Poll): () => void;
  allow(types: readonly string[]): void;
  /** Ends the open poll. */
  refuse(error: BotError): void;
  /** The connection of the open poll, and those that follow on it, get nothing any more. */
  deafen(): void;
  /** Those that wait, oldest first. */
  pending(): readonly Update[];
  /** One was delivered in another way than by a poll. */
  drop(update: Update): void;
  readonly waiting: number;
  readonly openPoll: Poll | undefined;
  close(): void;
}

/** Where nothing follows that an update could be late for. */
const latestMs = 200;
const usuallyOff = ["chat_member", "message_reaction", "message_reaction_count"];

export function createUpdateLine(onChange: () => void): UpdateLine {
  const queue: Update[] = [];
  const held: { update: NewUpdate; isLate: boolean }[] = [];
  const faults: EventFault[] = [];
  const deaf = new WeakSet<object>();
  let allowed: readonly string[] | undefined;
  let nextId = 500_000_001;
  let open: { poll: Poll; timer: NodeJS.Timeout } | undefined;
  let flush: NodeJS.Timeout | undefined;

  const isAllowed = (update: NewUpdate) => {
    const [type = ""] = Object.keys(update);
    return allowed === undefined || allowed.length === 0 ? !usuallyOff.includes(type) : allowed.includes(type);
  };
  const add = (update: NewUpdate) => void queue.push({ update_id: nextId++, ...update });
  const end = () => {
    if (open) clearTimeout(open.timer);
    const { poll } = open ?? {};
    open = undefined;
    return poll;
  };
  const answerOpen = () => {
    if (!open || deaf.has(open.poll.connection)) return;
    const ready = queue.slice(0, open.poll.limit);
    if (ready.length > 0) end()?.answer(ready);
  };
  const release = () => {
    clearTimeout(flush);
    for (const { update } of held.splice(0)) add(update);
    answerOpen();
    onChange();
  };

  return {
    push(update) {
      if (!isAllowed(update)) return;
      const fault = faults.shift();
      if (fault === "reorder" || fault === "late") {
        held.push({ update, isLate: fault === "late" });
        flush = setTimeout(release, latestMs).unref();
        return onChange();
      }
      const early = held.splice(0);
      for (const one of early.filter(({ isLate }) => isLate)) add(one.update);
      add(update);
      if (fault === "duplicate") add(update);
      for (const one of early.filter(({ isLate }) => !isLate)) add(one.update);
      answerOpen();
      onChange();
    },
    fail: (fault) => void faults.push(fault),
    poll(poll) {
      end()?.refuse(otherPoller());
      const firstKept = queue.findIndex(({ update_id }) => update_id >= poll.offset);
      if (poll.offset > 0) queue.splice(0, firstKept < 0 ? queue.length : firstKept);
      const timer = setTimeout(() => end()?.answer([]), poll.timeoutMs).unref();
      open = { poll, timer };
      answerOpen();
      if (poll.timeoutMs === 0 && open?.poll === poll) end()?.answer([]);
      onChange();
      return () => {
        if (open?.poll === poll) end();
      };
    },
    allow(types) {
      allowed = types;
    },
    refuse: (error) => end()?.refuse(error),
    deafen() {
      if (open) deaf.add(open.poll.connection);
    },
    pending: () => [...queue],
    drop(update) {
      const at = queue.indexOf(update);
      if (at >= 0) queue.splice(at, 1);
    },
    get waiting() {
      return queue.length + held.length;
    },
    get openPoll() {
      return open?.poll;
    },
    close() {
      clearTimeout(flush);
      end();
    },
  };
}
