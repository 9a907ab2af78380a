/**
 * What one session may see of the others and say to them: the door behind the `sessions_*` tools. Rights come from the scope:
 * the owner's own work (a main session, or a job of one) sees all, everybody else themselves and the subagents they sent.
 */
import type { SessionKey } from "./ids.ts";
import type { SessionEntry } from "./session.ts";
import type { ToolScope } from "./tool.ts";

/** One thing that was said or done in a session; clean text, cut to a length. */
export interface SpokenLine {
  /** ISO 8601. */
  at: string;
  who: "user" | "assistant" | "tool";
  text: string;
}

export interface SessionLine
  extends Pick<SessionEntry, "sessionKey" | "type" | "agentId" | "updatedAt" | "totalTokens"> {
  label?: string;
  /** Of a subagent: how far it is. */
  state?: string;
}

export interface SessionFacts {
  session: SessionEntry;
  /** `provider/model` that the next turn would ask. */
  model: string;
  /** Tokens: what would be sent, and what the model takes. */
  contextTokens: number;
  contextWindow: number;
}

export interface SessionDoor {
  /** Used last first; bounded. */
  list(scope: ToolScope, limit: number): Promise<SessionLine[]>;
  /**
   * The last `limit` things said there, oldest first; `outside` where text from outside is among it. `name`: key, label or run
   * id. Throws `SESSION_NOT_VISIBLE` for one that is not there or not theirs to see, `SESSION_AMBIGUOUS` for a label of several.
   */
  history(
    scope: ToolScope,
    name: string,
    limit: number,
  ): Promise<{ session: SessionLine; lines: SpokenLine[]; outside?: string }>;
  /**
   * Says something to the agent there, with the rights of who speaks; what it answers comes back as a turn of the session that
   * sent it. Durable when it resolves, once per `callId`. Throws as `history` does, and `RELAY_LIMIT` where enough was said.
   */
  send(
    scope: ToolScope,
    word: { to: string; message: string; callId: string },
  ): Promise<{ sessionKey: SessionKey; turnsLeft: number }>;
  /** Of the scope's own session. */
  status(scope: ToolScope): Promise<SessionFacts>;
  /** The agents that work can be given to. */
  agents(scope: ToolScope): { id: string; model?: string }[];
}
