/** The agent: one message in, events while it works, one outcome (spec 3.1). It knows nothing of platforms. */
import type { Approval } from "./approval.ts";
import type { ApprovalId, SessionKey } from "./ids.ts";
import type { ChannelContext, ChannelMessage } from "./message.ts";
import type { ToolDeclaration, Usage } from "./model.ts";
import type { QueueMode, SessionEntry } from "./session.ts";
import type { ClaimedTurn, NewStep, TurnStep } from "./turn.ts";

/** What a running turn shows. Adapters render these; losing one loses nothing but looks. */
export type AgentSessionEvent =
  | { type: "agent_start"; model: string; resumed: boolean }
  | { type: "agent_end"; stopReason: string }
  | { type: "turn_start" }
  | { type: "turn_end" }
  | { type: "message_start" }
  | { type: "text_delta"; delta: string }
  | { type: "thinking_delta"; delta: string }
  | { type: "message_end"; text: string; hasToolCalls: boolean; usage: Usage }
  | { type: "tool_execution_start"; toolCallId: string; toolName: string; label: string; args: Record<string, unknown> }
  | { type: "tool_execution_update"; toolCallId: string; toolName: string; text: string }
  | {
      type: "tool_execution_end";
      toolCallId: string;
      toolName: string;
      label: string;
      text: string;
      details: unknown;
      durationMs: number;
      isError: boolean;
    }
  /** The call waits for a person who may allow it; the question itself is posted, this is for buttons and screens. */
  | { type: "approval_request"; approval: Approval }
  /** It was answered, or nobody waits for the answer any more. */
  | { type: "approval_end"; approvalId: ApprovalId; toolCallId: string }
  | { type: "auto_retry_start"; attempt: number; maxAttempts: number; delayMs: number; reason: string }
  | { type: "auto_retry_end"; success: boolean }
  | { type: "auto_compaction_start"; reason: "threshold" | "overflow" | "manual" }
  | { type: "auto_compaction_end"; tokensBefore: number; tokensAfter: number }
  | { type: "model_fallback"; from: string; to: string; reason: string }
  | { type: "steered"; texts: string[] }
  | { type: "error"; message: string };

/** Everything a turn needs that is not the message: given by the pipeline, backed by the store. */
export interface TurnContext extends ChannelContext {
  turn: ClaimedTurn;
  session: SessionEntry;
  /** What an earlier, interrupted attempt recorded, in order. Empty on a first attempt. */
  steps: readonly TurnStep[];
  /** Makes a step durable, in the database and in the transcript. Everything after it may assume it survived. */
  record(step: NewStep): Promise<void>;
  /** What happens with messages that come while this turn runs. */
  queueMode: QueueMode;
  /** Takes the messages that wait behind this turn into it, recorded as the step that `toStep` builds. Empty when nobody waits. */
  absorb(toStep: (messages: ChannelMessage[]) => NewStep): Promise<readonly ChannelMessage[]>;
}

export interface AgentOutcome {
  /** `stop` and `length` are answers; `aborted` was asked for; `error` has `errorMessage` for the person who asked. */
  stopReason: "stop" | "length" | "aborted" | "error";
  /** The final answer, Markdown. Empty when there is none to give. */
  reply: string;
  errorMessage?: string;
  /** For the operator's log: coded, with the provider's words. */
  errorDetail?: string;
}

export interface MomAgent {
  /**
   * Runs one turn to its end, or goes on with one from `context.steps`. Called by the pipeline, once per claim; never for
   * two turns of one session at a time. Expected failures are in the outcome; it rejects only when nothing could be
   * recorded (lost lease, full disk), and the turn is then taken up again later.
   */
  handleMessage(
    message: ChannelMessage,
    context: TurnContext,
    onEvent: (event: AgentSessionEvent) => Promise<void>,
  ): Promise<AgentOutcome>;
  /**
   * Ends the session's running turn at once: model call, tools and their processes. Nothing happens if none runs.
   * `stopped`: for good, and the transcript says so. `parked`: it will be taken up again.
   */
  abort(sessionKey: SessionKey, how: "stopped" | "parked"): void;
  isRunning(sessionKey: SessionKey): boolean;
  /** `/compact`: shortens the session's context now, whatever its size. Recorded through `record`. */
  compact(session: SessionEntry, request: CompactRequest): Promise<CompactResult>;
  /** What would be sent with the session's next turn, part by part (`mom prompt show`, `/context`). */
  describeContext(session: SessionEntry, channel: ChannelContext): Promise<ContextReport>;
}

export interface CompactRequest {
  /** `adapter:id` of who asked: the cost is theirs. */
  sender: string;
  /** What the summary should take care of. */
  instructions?: string;
  record(step: NewStep): Promise<void>;
}

export type CompactResult =
  | { type: "compacted"; tokensBefore: number; tokensAfter: number; summary: string }
  /** There is nothing to gain. */
  | { type: "nothing"; tokens: number }
  /** Stopped or parked before it was done. */
  | { type: "aborted" };

export interface ContextReport {
  model: string;
  /** Tokens. */
  contextWindow: number;
  sections: { name: string; text: string }[];
  tools: ToolDeclaration[];
  messages: number;
  /** Estimates, with the safety margin. */
  tokens: { system: number; tools: number; messages: number };
}
