/**
 * One attempt with one model: asks, runs tools, asks again until there is an answer. Every request is built from the
 * record, so that it can be shortened between two of them, and every step is recorded before anything depends on it.
 */
import type { AgentSessionEvent, TurnContext } from "../contracts/agent.ts";
import type { Clock } from "../contracts/clock.ts";
import type {
  AssistantMessage,
  ModelFailure,
  ModelMessage,
  ModelProvider,
  ModelRequest,
  ModelStream,
  UserMessage,
} from "../contracts/model.ts";
import type { UsageLedger } from "../contracts/store.ts";
import type { OverBudget } from "./budget-watch.ts";
import { loadAgentLoop } from "./catalog.ts";
import type { ContextKeeper } from "./context-keeper.ts";
import { buildOwnAnswer } from "./own-answer.ts";
import { type ToolRunner, textOf } from "./tool-runner.ts";
import { buildMessageEntry } from "./transcript-entries.ts";

export interface ConverseParts {
  models: ModelProvider;
  usage: Pick<UsageLedger, "record">;
  clock: Clock;
  context: TurnContext;
  /** `adapter:id`. */
  sender: string;
  request: Pick<ModelRequest, "model" | "system" | "tools" | "thinking" | "sessionId">;
  keeper: ContextKeeper;
  runTool: ToolRunner["run"];
  /** Before every request. */
  checkBudget(): Promise<OverBudget | undefined>;
  steer(): Promise<UserMessage[]>;
  /** An auth profile has answered. */
  onProfile(profile: string): void;
  onEvent(event: AgentSessionEvent): Promise<void>;
  signal: AbortSignal;
  /** The tool that is called again and again for nothing: the turn ends. */
  stuckWith(): string | undefined;
  /** Requests that this turn may still make. */
  maxRounds: number;
  /** The auth profile that answered last. */
  preferredProfile(): string | undefined;
}

export type Attempt =
  | { type: "answered"; reply: string; stopReason: "stop" | "length" }
  | { type: "aborted" }
  /** Went on and on with tools; `tool`: with this one, in circles. */
  | { type: "endless"; tool?: string }
  | { type: "over_budget"; verdict: OverBudget }
  | { type: "failed"; failure: ModelFailure };

export async function converse(parts: ConverseParts): Promise<Attempt> {
  const { context, keeper, onEvent, signal, clock, request } = parts;
  // Before anything is summarised: without a call to come, there is nothing to make room for.
  const refused = await parts.checkBudget();
  if (refused) return { type: "over_budget", verdict: refused };
  const messages = await keeper.prepare();
  let prepared: ModelMessage[] | undefined = messages;
  let failure: ModelFailure | undefined;
  let overBudget: OverBudget | undefined;
  const usedIds = new Set(messages.flatMap((message) => (message.role === "toolResult" ? [message.toolCallId] : [])));
  const runLoop = await loadAgentLoop();
  const last = await runLoop({
    messages: [...messages],
    signal,
    maxRounds: parts.maxRounds,
    isStuck: () => parts.stuckWith() !== undefined,
    runTool: parts.runTool,
    async ask() {
      overBudget = await parts.checkBudget();
      if (overBudget) return buildEmptyStream(clock.now());
      const current = prepared ?? (await keeper.prepare());
      prepared = undefined;
      const stream = askModel(parts, current);
      void stream.result().then((result) => {
        failure = result.failure;
        if (result.profile !== undefined) parts.onProfile(result.profile);
      });
      return stream;
    },
    async onAssistant(message) {
      nameCallsApart(message, usedIds);
      const hasToolCalls = message.content.some((block) => block.type === "toolCall");
      const spent = { model: request.model.ref, usage: message.usage };
      if (message.stopReason !== "error" && message.stopReason !== "aborted") {
        const entries = [buildMessageEntry(message, clock.now())];
        await context.record({ body: { type: "assistant" }, entries, usage: [spent] });
      } else if (message.usage.totalTokens > 0) {
        const { sessionKey, agentId } = context.session;
        await parts.usage.record({ sessionKey, agentId, sender: parts.sender, ...spent });
      }
      await onEvent({ type: "message_end", text: textOf(message), hasToolCalls, usage: message.usage });
    },
    onMessageStart: () => onEvent({ type: "message_start" }),
    onText: (delta) => onEvent({ type: "text_delta", delta }),
    onThinking: (delta) => onEvent({ type: "thinking_delta", delta }),
    onTurn: (edge) => onEvent({ type: edge === "start" ? "turn_start" : "turn_end" }),
    steer: parts.steer,
  });
  if (overBudget) return { type: "over_budget", verdict: overBudget };
  if (!last || last.stopReason === "aborted" || signal.aborted) return { type: "aborted" };
  if (last.stopReason === "error") return { type: "failed", failure: failure ?? buildUnknownFailure(last) };
  if (last.stopReason === "toolUse") {
    const tool = parts.stuckWith();
    return { type: "endless", ...(tool !== undefined && { tool }) };
  }
  return { type: "answered", reply: textOf(last), stopReason: last.stopReason };
}

function askModel(parts: ConverseParts, messages: ModelMessage[]): ModelStream {
  const { onEvent, signal, request } = parts;
  let isRetrying = false;
  const preferredProfile = parts.preferredProfile();
  const stream = parts.models.stream({
    ...request,
    messages,
    signal,
    ...(preferredProfile !== undefined && { preferredProfile }),
    onRetry({ attempt, maxAttempts, delayMs, failure }) {
      isRetrying = true;
      void onEvent({ type: "auto_retry_start", attempt, maxAttempts, delayMs, reason: failure.detail });
    },
  });
  void stream.result().then(({ failure }) => {
    if (isRetrying) void onEvent({ type: "auto_retry_end", success: !failure });
  });
  return stream;
}

/** Some providers number their calls anew in every answer; what is recorded, resumed and posted by id needs them apart. */
function nameCallsApart(message: AssistantMessage, usedIds: Set<string>): void {
  for (const block of message.content) {
    if (block.type !== "toolCall") continue;
    for (let n = 2, id = block.id; usedIds.has(block.id); n++) block.id = `${id}_${n}`;
    usedIds.add(block.id);
  }
}

const buildUnknownFailure = (last: AssistantMessage): ModelFailure => ({
  reason: "unknown",
  rule: "give_up",
  message: "The model gave no answer. Your message is kept; send it again to retry.",
  detail: last.errorMessage ?? "unknown",
});

/** Ends the loop without a request having been made. */
function buildEmptyStream(nowMs: number): ModelStream {
  const message = buildOwnAnswer({ stopReason: "aborted", nowMs });
  return { async *[Symbol.asyncIterator]() {}, result: async () => ({ message }) };
}
