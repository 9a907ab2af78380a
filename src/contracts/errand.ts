/**
 * Work that nobody speaks in a chat for: a job's run, a heartbeat, a subagent, a word from one session to another. It comes
 * as a message through the house's own door (adapter `errands`), runs as a turn like any other, and says here for whom, so
 * that rights are theirs and never more. Set by the house alone; inbound takes it off whatever a platform brings.
 */

import type { ChannelRef } from "./channel-ref.ts";
import type { SessionKey } from "./ids.ts";
import type { ThinkingLevel } from "./model.ts";
import type { SessionType } from "./session-type.ts";

/** On whose behalf: tools, folders, approvals and posts are those of this person in this chat. */
export interface Principal {
  channel: ChannelRef;
  sender: { id: string; username: string };
  /** The session that the work is for, and what it may do. Never `subagent`: then it is that one's own principal. */
  sessionKey: SessionKey;
  sessionType: SessionType;
  agentId: string;
}

export interface Errand {
  type: "cron" | "heartbeat" | "subagent" | "relay";
  /** Of the job, the agent whose heart beats, the subagent's run, the relayed talk. */
  id: string;
  principal: Principal;
  /** Sections of the prompt that the work needs, headings included. */
  role?: readonly { name: string; text: string }[];
  /** Only these of the allowed tools are offered; absent: all of them. */
  tools?: readonly string[];
  /** The prompt has no files of the workspace; absent: what the session's type gets. */
  files?: "none";
  /** The prompt's mode; absent: by the session's type. */
  promptMode?: "full" | "minimal" | "none";
  model?: string;
  thinking?: ThinkingLevel;
  timeoutMs?: number;
  /** Of a relay: who said it, and how many words may still go to and fro. */
  relay?: { from: SessionKey; turnsLeft: number };
  /** Its session begins anew with it; what was there of an earlier run is forgotten. */
  isFresh?: true;
  /** JSON of whoever sent it, given back when it is over. */
  data?: unknown;
}
