/** Heartbeats (spec 6.3): now and then mom looks by herself whether something is to be said. Costs nothing while HEARTBEAT.md is empty. */
export interface HeartbeatConfig {
  /** Absent: on, as soon as HEARTBEAT.md has content. */
  enabled?: boolean | undefined;
  everyMs: number;
  /** What she is woken with. */
  prompt: string;
  /** Where something worth saying goes: the main session's own chat, or where its owner last spoke. */
  target: "main" | "last";
  model?: string | undefined;
  /** Beside HEARTBEAT_OK, at most so many characters are still nothing to say. */
  ackMaxChars: number;
  /** The conversation that it looks after, by its key. Absent: the agent's main one. */
  session?: string | undefined;
  /** Times of the day, `HH:MM`; the end is not part of it and may be `24:00`, or lie before the start (past midnight). */
  activeHours?: { start: string; end: string; timezone?: string | undefined } | undefined;
  includeReasoning?: boolean | undefined;
}

export type HeartbeatSkip =
  | "disabled"
  | "quiet-hours"
  | "requests-in-flight"
  | "empty-heartbeat-file"
  | "over-budget"
  | "no-chat";

/** What came of a beat; the last one is kept, and told to the gateway. */
export interface HeartbeatEvent {
  /** Milliseconds since the epoch. */
  ts: number;
  agentId: string;
  status: "sent" | "ok-empty" | "ok-token" | "skipped" | "failed";
  /** The chat that it was said in: `adapter/channelId`. */
  to?: string;
  /** The start of what was said. */
  preview?: string;
  durationMs?: number;
  hasMedia?: boolean;
  /** A `HeartbeatSkip`, `duplicate`, or what failed. */
  reason?: string;
  channel?: string;
  /** Nobody was told anything. */
  silent?: boolean;
  indicatorType?: "ok" | "alert" | "error";
}
