/**
 * What survives. Everything here is asynchronous and says nothing of how it is kept, so that one suite covers SQLite on
 * one machine and a database server for several. Work is claimed by lease with a fencing token: of several processes,
 * exactly one owns a turn or a delivery at a time, and one that lost its lease cannot write any more.
 *
 * A lease ends when it is given back, when its time is over, or when the store knows that its owner is gone.
 */
import type { Approvals } from "./approval.ts";
import type { DeliveryId, EntryId, SessionId, SessionKey, TurnId } from "./ids.ts";
import type { Accepted, DeliveryBody, Letter, NewDelivery, PairingOffer, Verdict } from "./letter.ts";
import type { ChannelAttachment, ChannelMessage, ChannelRef, LogLine } from "./message.ts";
import type { Usage } from "./model.ts";
import type { DueClock } from "./schedule.ts";

import type { SessionChoices, SessionEntry, SessionRoute } from "./session.ts";
import type { StandingOrders } from "./standing-order.ts";
import type { TranscriptEntry, TranscriptHeader } from "./transcript.ts";
import type { ClaimedTurn, NewStep, Turn, TurnOutcome, TurnState, TurnStep } from "./turn.ts";

export type { Accepted, DeliveryBody, Letter, NewDelivery, PairingOffer, Verdict };

export interface Inbox {
  /**
   * The commit point: when it resolves, the message, its verdict and its turn are on disk, and the platform may be told.
   * A message with the same adapter, channel and id is a duplicate, however late it comes, and changes nothing (until
   * `prune` has dropped the first one).
   */
  accept(letter: Letter): Promise<Accepted>;
  /** Messages of a chat that this session has not been shown, before `beforeSeq`, oldest first; at most `limit`, the newest kept. */
  unseen(sessionKey: SessionKey, channel: ChannelRef, beforeSeq: number, limit: number): Promise<LogLine[]>;
}

export interface Turns {
  /**
   * Puts what was received on its lane, and gives the next turn to work on: an interrupted one whose lease has ended,
   * else the oldest queued one whose lane is free; of messages that came through one of `adapters` only.
   * It is `running` under a lease of `leaseMs` when this resolves.
   */
  claim(leaseMs: number, adapters: string[]): Promise<ClaimedTurn | undefined>;
  /** Extends the lease. False: it is lost, stop working. */
  renew(turn: ClaimedTurn, leaseMs: number): Promise<boolean>;
  /** Gives an unfinished turn back, to be claimed again (graceful stop). */
  release(turn: ClaimedTurn): Promise<void>;
  /** Appends a step and its transcript entries; both durable when it resolves. Throws `LEASE_LOST`. */
  record(turn: ClaimedTurn, step: NewStep): Promise<void>;
  /** Steps of an unfinished turn, in order. The transcript already has all their entries. */
  steps(turn: ClaimedTurn): Promise<TurnStep[]>;
  /**
   * Takes the messages that wait right behind this turn into it, oldest first, as far as the same person said them in
   * the same chat and it is their own (no errand, no `metadata.outside`): their turns end as merged into this one, and the step that
   * `toStep` builds of them is recorded, in one step. `toStep` is not called when none wait.
   */
  absorb(turn: ClaimedTurn, toStep: (messages: ChannelMessage[]) => NewStep): Promise<ChannelMessage[]>;
  /**
   * Ends the work: with deliveries (these, or earlier ones of its tools) the turn is `delivering` until the last one is
   * settled, without it is in `outcome` at once. A turn that was asked to stop ends as `stopped` and posts nothing.
   * Deliveries, letters and state change in one step. With an agent's turn its session's `updatedAt` follows. Throws
   * `LEASE_LOST`. `letters`: what the end of this turn starts elsewhere (findings of a subagent); they are posted also where the
   * turn ends as `stopped`.
   */
  finish(
    turn: ClaimedTurn,
    end: { outcome: TurnOutcome; error?: string; deliveries: NewDelivery[]; letters?: readonly Letter[] },
  ): Promise<void>;
  /**
   * Marks the session's running turns as not to be resumed and ends its waiting ones. Returns the running ones. Of commands
   * only one that runs on the session's own lane is stopped; those beside it and those that wait go on.
   */
  requestStop(sessionKey: SessionKey): Promise<{ running: TurnId[]; waiting: number }>;
  get(id: TurnId): Promise<Turn | undefined>;
  /** The turn that a message started; undefined for one that is not known or started none. */
  ofMessage(channel: ChannelRef, messageId: string): Promise<Turn | undefined>;
  list(filter: { sessionKey?: SessionKey; states?: TurnState[]; limit: number }): Promise<Turn[]>;
  counts(): Promise<Record<TurnState, number>>;
}

export type DeliveryState = "pending" | "sending" | "sent" | "failed";

export interface Delivery extends NewDelivery {
  seq: number;
  state: DeliveryState;
  /** Calls made so far. */
  attempts: number;
  /** Calls made although an earlier one may have arrived. */
  repeats: number;
  /** The platform's id of what was posted. */
  messageId?: string;
  error?: string;
  createdAt: number;
}

/** Leased and marked `sending`: the record that stands before the call. */
export interface ClaimedDelivery extends Delivery {
  token: number;
  /** An earlier call may have gone out: settle before sending. */
  uncertain: boolean;
}

export interface Outbox {
  /** Durable when it resolves. Posts leave in order per chat. */
  post(deliveries: NewDelivery[]): Promise<void>;
  /** The next post that is due for one of `adapters`: per chat strictly in order, one at a time. */
  claim(adapters: string[], leaseMs: number): Promise<ClaimedDelivery | undefined>;
  /**
   * Writes the receipt, the next try or the end. `uncertain` on a retry: the call may have arrived; the next claim says so.
   */
  settle(
    delivery: ClaimedDelivery,
    result:
      | { type: "sent"; messageId: string }
      | { type: "retry"; dueAt: number; error: string; uncertain: boolean }
      | { type: "failed"; error: string },
  ): Promise<void>;
  /** Counts a repeat, before the call that may be one. */
  noteRepeat(delivery: ClaimedDelivery): Promise<void>;
  /** When the soonest pending post that is due later than `after` is due; undefined when there is none. */
  nextDueAt(after: number): Promise<number | undefined>;
  /** Undefined when there is none, or when `prune` has dropped it. */
  get(id: DeliveryId): Promise<Delivery | undefined>;
  list(filter: { turnId?: TurnId; states?: DeliveryState[]; limit: number }): Promise<Delivery[]>;
  /**
   * A text or file of mom's own in this chat, by the platform's id of it or by its delivery's. Undefined when there is none,
   * when it was taken back, or when `prune` has dropped it. Found by its delivery, it may still be on its way. Questions to
   * people (deliveries called `approval-…`) are never found: nobody changes what was asked.
   */
  findPost(channel: ChannelRef, id: string): Promise<Delivery | undefined>;
}

/** Somebody who asked to be let in, or was. Trust is per adapter, and for direct chats only. */
export interface Pairing {
  adapter: string;
  /** Immutable id. */
  senderId: string;
  /** As they called themselves then; for people, never for rights. */
  username: string;
  channelId: string;
  state: "pending" | "approved";
  /** Eight characters without look-alikes. Gone once approved. */
  code?: string;
  createdAt: number;
  /** Of a pending one: milliseconds since the epoch. */
  expiresAt?: number;
  approvedAt?: number;
  /** `adapter:id`, or `cli`. */
  approvedBy?: string;
}

export type PairingAnswer =
  | { type: "approved"; pairing: Pairing }
  /** No pending one has this code on this adapter: never given, used, or its hour is over. */
  | { type: "unknown" };

export interface Pairings {
  /** Cheap: asked for every direct message of somebody whom the config does not name. */
  isApproved(adapter: string, senderId: string): Promise<boolean>;
  /** Newest first; pending ones whose time is over are gone. */
  list(): Promise<Pairing[]>;
  /** `adapter` absent: the code alone decides. Case and spaces in it do not matter. */
  approve(code: string, by: string, adapter?: string): Promise<PairingAnswer>;
  /** Takes the trust, or the pending code, away. False: there was neither. */
  revoke(adapter: string, senderId: string): Promise<boolean>;
}

export interface Sessions {
  get(key: SessionKey): Promise<SessionEntry | undefined>;
  /** The session of a route, made if new; its `lastChannel` (unless the route is a window) and `updatedAt` follow. */
  open(route: SessionRoute): Promise<SessionEntry>;
  list(): Promise<SessionEntry[]>;
  /** Are there any beside this one? Cheap: asked with every turn. */
  hasOthers(key: SessionKey): Promise<boolean>;
  /**
   * A new life: new id, empty transcript, or the kept life `to` taken up again; the old transcript is kept beside it. The
   * session's label becomes the name of that life, if it has one. Once per `by`, however often it is called.
   */
  reset(key: SessionKey, by: TurnId, to?: SessionId): Promise<SessionEntry>;
  /** What a person set for the session; all but the label survives `reset`. */
  choose(key: SessionKey, choices: SessionChoices): Promise<SessionEntry>;
  /** What the last turn used. */
  noteModel(key: SessionKey, used: { provider: string; ref: string; authProfile?: string }): Promise<void>;
  /**
   * Forgets the session for good: its row and choices, the names of its lives, what it has seen, and every transcript of it,
   * present and kept. What was said stays in the logs of its chats, and what it cost in the ledger. False: there is none.
   * Throws `SESSION_BUSY` while a turn of it waits or runs, other than `but` and those behind it: it has recorded nothing yet
   * and begins the session anew.
   * A crash on the way is made good when the store is next opened.
   */
  delete(key: SessionKey, but?: TurnId): Promise<boolean>;
}

/** One life of a session: a transcript between two `/new`. */
export interface SessionLife {
  sessionId: SessionId;
  isPresent: boolean;
  /** Milliseconds since the epoch. */
  startedAt: number;
  updatedAt: number;
  name?: string;
  /** How it began: the first thing a person said, cut to one line. */
  opening?: string;
  bytes: number;
}

export interface Transcripts {
  /**
   * What the session's next context is built from, oldest first: the entries on the path from the leaf back to where the
   * latest compaction begins to keep them, that compaction included; at most `maxEntries`, the newest. `cut`: there are
   * older ones that belong. Cost does not grow with the length of the transcript. The entries are shared: while they are
   * remembered the same objects are given again, and nobody may change them.
   */
  context(key: SessionKey, maxEntries: number): Promise<{ entries: TranscriptEntry[]; cut: boolean }>;
  /** Everything in the transcript of the present life, side branches too. Reads the whole file. `path`: absolute. */
  whole(
    key: SessionKey,
  ): Promise<{ path: string; header: TranscriptHeader; entries: TranscriptEntry[]; leaf: EntryId | null } | undefined>;
  /** Where the transcript of the present life lies: absolute. Undefined: there is none yet. */
  path(key: SessionKey): Promise<string | undefined>;
  /** Every life that the session has a transcript of, newest first; also those that other programs have written there. */
  lives(key: SessionKey): Promise<SessionLife[]>;
  /**
   * Prepares a life that begins as a copy of the path from the root to `upTo`, ready to be taken up by `reset`. The same
   * `by` gives the same life. Throws `ENTRY_UNKNOWN`.
   */
  fork(key: SessionKey, upTo: EntryId, by: TurnId): Promise<SessionId>;
}

/** A channel's folder: what was said there and the files that came along. */
export interface ChannelStore {
  /** Last `limit` lines, oldest first. Cost does not grow with the length of the log. */
  tail(channel: ChannelRef, limit: number): Promise<LogLine[]>;
  /** Every chat that has a log. */
  list(): Promise<ChannelRef[]>;
  /** Its folder, relative to the workspace; safe whatever the ids contain. */
  folder(channel: ChannelRef): string;
  /** Copies a file into the channel's attachments under a safe name. Refuses more than `maxBytes`. */
  saveAttachment(
    channel: ChannelRef,
    file: { filename: string; data: AsyncIterable<Uint8Array>; mimeType?: string; maxBytes: number },
  ): Promise<ChannelAttachment>;
  /**
   * Removes the chat's whole folder: log, attachments, and the transcripts that lie there; sessions are forgotten with
   * `Sessions.delete` before. May be called again, and for a chat that has none. What is said there later begins it anew.
   */
  remove(channel: ChannelRef): Promise<void>;
}

export interface UsageRow {
  sessionKey: SessionKey;
  agentId: string;
  /** `adapter:id` of who asked. */
  sender: string;
  model: string;
  usage: Usage;
}
export interface UsageTotal {
  key: string;
  calls: number;
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  cost: number;
}
export interface UsageLedger {
  /** Books a model call made outside a turn's steps. */
  record(row: UsageRow): Promise<void>;
  /** Ordered by key. `since`: only that day (local time, `YYYY-MM-DD`) and later ones. */
  totals(by: "day" | "model" | "session" | "agent" | "sender", since?: string): Promise<UsageTotal[]>;
  /** What one agent, session or sender (and agent) has used in the present day or month, local time. Cheap: asked before every model call. */
  spent(who: Spender, period: "day" | "month"): Promise<{ cost: number; tokens: number }>;
}

/** All of the named ones must match. */
export interface Spender {
  agentId?: string;
  sessionKey?: SessionKey;
  sender?: string;
}

export interface KeyValue {
  get(scope: string, key: string): Promise<unknown>;
  set(scope: string, key: string, value: unknown): Promise<void>;
  /** Everything in a scope, by key. */
  list(scope: string): Promise<Map<string, unknown>>;
  delete(scope: string, key: string): Promise<void>;
  /** Every key of the scope. */
  clear(scope: string): Promise<void>;
}

/** What was found and mended when the store was opened, and what `mom doctor` sees. */
export interface StoreFinding {
  level: "info" | "warn" | "error";
  code: string;
  message: string;
}

export interface Store {
  readonly inbox: Inbox;
  readonly turns: Turns;
  readonly outbox: Outbox;
  readonly sessions: Sessions;
  readonly transcripts: Transcripts;
  readonly channels: ChannelStore;
  readonly usage: UsageLedger;
  readonly kv: KeyValue;
  readonly due: DueClock;
  readonly standingOrders: StandingOrders;
  readonly approvals: Approvals;
  readonly pairings: Pairings;
  /** Repairs made at opening; empty on a good day. */
  readonly findings: readonly StoreFinding[];
  /** Calls `handler` when another process has changed something (a posted letter). The result ends it. */
  onOutsideChange(handler: () => void): () => void;
  /** Drops what is finished and older than `olderThan`. Bounded work per call; returns how many rows went. */
  prune(olderThan: number): Promise<number>;
  /** Gives back leases and the lock. Nothing may be called after it. */
  close(): Promise<void>;
}
