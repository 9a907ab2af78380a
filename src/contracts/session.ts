/** Conversations: names, types and what is remembered of each (spec 3.3). */
import type { SessionId, SessionKey } from "./ids.ts";
import type { ChannelRef } from "./message.ts";

/** How far a conversation is trusted; tool policy hangs on it. */
export type SessionType = "main" | "dm" | "group" | "topic" | "subagent" | "cron";

export interface SessionEntry {
  sessionId: SessionId;
  sessionKey: SessionKey;
  type: SessionType;
  agentId: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
  updatedAt: number;
  /** The channel that the session was opened in: its transcript lies there. */
  channel: ChannelRef;
  /** Where the last message came from: replies to "last" go there. */
  lastChannel: ChannelRef;
  /** `provider/model` used last. */
  model?: string;
  modelProvider?: string;
  thinkingLevel?: string;
  inputTokens: number;
  outputTokens: number;
  totalTokens: number;
  /** US dollars. */
  cost: number;
  label?: string;
  spawnedBy?: SessionKey;
}

/** Where inbound routing sends a message: which session, of which type, on which channel. */
export interface SessionRoute {
  sessionKey: SessionKey;
  type: SessionType;
  agentId: string;
  channel: ChannelRef;
}
