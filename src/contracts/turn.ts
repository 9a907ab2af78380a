/**
 * A turn: one inbound message on its way to one reply, as rows that survive a crash.
 *
 *   received ─► queued ─► running (steps) ─► delivering ─► done | failed | stopped
 *
 * `received` is durable but not yet on a lane; `running` holds a lease; `delivering` has handed its posts to the outbox.
 */
import type { EntryId, TurnId } from "./ids.ts";
import type { ChannelMessage } from "./message.ts";
import type { Usage } from "./model.ts";
import type { SessionRoute } from "./session.ts";
import type { ToolEffect } from "./tool.ts";
import type { TranscriptEntry } from "./transcript.ts";

export type TurnOutcome = "done" | "failed" | "stopped";
export type TurnState = "received" | "queued" | "running" | "delivering" | TurnOutcome;

export interface Turn {
  id: TurnId;
  /** Order of arrival, over all channels. */
  seq: number;
  kind: "agent" | "command";
  /** Turns of one lane run one at a time, in order. */
  lane: string;
  state: TurnState;
  route: SessionRoute;
  adapter: string;
  message: ChannelMessage;
  /** How often it was claimed. */
  attempt: number;
  /** How often whoever had claimed it went away without a word. */
  crashes: number;
  /** A stop was asked for: it ends as `stopped` and is never resumed. */
  stopRequested: boolean;
  /** On a stop command: what it ended, recorded together with the command itself. */
  stopped?: { running: number; waiting: number };
  /** Why it failed, for the operator. */
  error?: string;
  /** The turn that took this message in (steering). */
  mergedInto?: TurnId;
  createdAt: number;
  updatedAt: number;
}

/** A turn that this process may work on while its lease lasts. */
export interface ClaimedTurn extends Turn {
  /** Fencing token: writes with an older one are refused. */
  token: number;
}

/**
 * What a turn did so far. A step is recorded before anything that depends on it happens:
 * `input` before the model is asked, `assistant` before its tools run, `tool_start` before the tool acts, `tool_end`
 * before the model sees the result.
 */
export type StepBody =
  | { type: "input" /** Last inbox number that the folded text covers. */; seenSeq: number }
  | { type: "assistant" }
  | { type: "tool_start"; toolCallId: string; toolName: string; effect: ToolEffect }
  | { type: "tool_end"; toolCallId: string }
  /** The conversation goes on from an earlier entry. */
  | { type: "branch" }
  /** A record beside the conversation: a name, a thinking level, where it was forked. */
  | { type: "note" }
  /** The context was shortened; its entries say how. */
  | { type: "compaction" }
  /** Durable notes were asked for before a compaction, whatever came of it. */
  | { type: "memory_flush" };

export interface NewStep {
  body: StepBody;
  /** Transcript entries that the step adds; written to the transcript before `record` resolves. */
  entries: NewEntry[];
  /** The first entry becomes a child of this one instead of the leaf; null: of none. */
  parentId?: EntryId | null;
  /** What the model calls of this step cost, booked in the same step, so that nothing is booked twice. */
  usage?: readonly { model: string; usage: Usage }[];
}
export interface TurnStep extends NewStep {
  n: number;
}

/** An entry before the store has chained it to its parent. */
export type NewEntry = TranscriptEntry extends infer Entry
  ? Entry extends unknown
    ? Omit<Entry, "parentId">
    : never
  : never;
