/** Subagents (spec 3.8): a session of its own for one task, whose findings come back to whoever asked. */
import type { SessionKey, TurnId } from "./ids.ts";
import type { ThinkingLevel } from "./model.ts";
import type { SpokenLine } from "./session-door.ts";
import type { ToolScope } from "./tool.ts";

export type SubagentState = "waiting" | "running" | "done" | "failed" | "timed-out" | "stopped" | "interrupted";

export interface SubagentRun {
  runId: string;
  sessionKey: SessionKey;
  /** Who asked: the findings go there. */
  requester: SessionKey;
  agentId: string;
  task: string;
  label?: string;
  state: SubagentState;
  createdAt: number;
  startedAt?: number;
  endedAt?: number;
  turnId?: TurnId;
  tokens?: number;
  /** US dollars. */
  cost?: number;
  cleanup: "keep" | "delete";
}

/** The door that tools and commands use. */
export interface Subagents {
  /** Durable when it resolves; runs when there is room. Throws a coded error for an agent or model that is not there or not allowed. */
  spawn(
    scope: ToolScope,
    task: {
      task: string;
      agentId?: string;
      model?: string;
      thinking?: ThinkingLevel;
      runTimeoutSeconds?: number;
      cleanup?: "keep" | "delete";
      label?: string;
      /** Names the call: the same one spawns once. */
      callId: string;
    },
  ): Promise<SubagentRun>;
  /** Of one requester, or all; newest first, bounded. */
  list(requester?: SessionKey): Promise<SubagentRun[]>;
  get(runId: string): Promise<SubagentRun | undefined>;
  /** Ends it, with the programs it runs. False: it was over. */
  stop(runId: string): Promise<boolean>;
  /** Ends all that this session has asked for. `by`: the turn that wants it, if one does; asked again for it, the same number. */
  stopAllOf(requester: SessionKey, by?: TurnId): Promise<number>;
  /** What was said and done in it, oldest first, the last `limit`; bounded. Undefined: its session is not there any more, or not yet. */
  log(runId: string, limit: number): Promise<SpokenLine[] | undefined>;
}
