/** Conversations: names, types and what is remembered of each (spec 3.3). */
import type { SessionId, SessionKey } from "./ids.ts";
import type { ChannelRef } from "./message.ts";
import type { ThinkingLevel } from "./model.ts";
import type { SessionType } from "./session-type.ts";

export type { SessionType } from "./session-type.ts";

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
  /** Chosen by `/think`; absent: the agent's. */
  thinkingLevel?: ThinkingLevel;
  /** Chosen by `/model`, as typed (a name or an alias); absent: the agent's. */
  chosenModel?: string;
  /** Chosen by `/queue`; absent: the channel's. */
  queueMode?: QueueMode;
  /** Chosen by `/verbose off`: tool calls are not shown while a turn runs. */
  isQuiet?: true;
  /** The auth profile that answered last: kept while it works (prompt caches). */
  authProfile?: string;
  inputTokens: number;
  outputTokens: number;
  totalTokens: number;
  /** US dollars. */
  cost: number;
  label?: string;
  spawnedBy?: SessionKey;
}

/** What a person may set for a session. `null` goes back to the default, absent leaves it as it is. */
export interface SessionChoices {
  label?: string | null;
  chosenModel?: string | null;
  thinkingLevel?: ThinkingLevel | null;
  queueMode?: QueueMode | null;
  isQuiet?: true | null;
}

/**
 * What a message does that comes while a turn runs (spec 3.2): `steer` shows it to the model after the current tool call,
 * `followup` gives it a turn of its own, `collect` makes one turn of all that wait, `interrupt` ends the running turn first.
 */
export type QueueMode = "steer" | "followup" | "collect" | "interrupt";

/** Where inbound routing sends a message: which session, of which type, on which channel. */
export interface SessionRoute {
  sessionKey: SessionKey;
  type: SessionType;
  agentId: string;
  channel: ChannelRef;
  /** The chat is a window on a session that lives elsewhere: the session's `lastChannel` does not follow. */
  isWindow?: true;
  /** Of one that another session sends, kept from when it is first opened: its name, and who that is. */
  label?: string;
  spawnedBy?: SessionKey;
}
