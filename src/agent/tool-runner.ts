/**
 * Tool calls of one turn: recorded before they act and again when they have ended, and shown while they run. After a
 * crash, calls without a recorded end are settled by their effect: reading is done again, anything else may have run.
 */
import type { AgentSessionEvent, TurnContext } from "../contracts/agent.ts";
import type { Clock } from "../contracts/clock.ts";
import type { AssistantMessage, ImageContent, TextContent, ToolCall, ToolResultMessage } from "../contracts/model.ts";
import type { ToolOutcome, ToolSet } from "../contracts/tool.ts";
import type { EntryScope } from "../contracts/transcript.ts";
import type { TurnStep } from "../contracts/turn.ts";
import { type LoopGuard, loopCode } from "./loop-guard.ts";
import { buildMessageEntry } from "./transcript-entries.ts";

export interface ToolRunner {
  run(call: ToolCall): Promise<ToolOutcome>;
  /** Records how a call ended without running it. */
  conclude(call: ToolCall, outcome: ToolOutcome): Promise<void>;
}

interface ToolRunnerDeps {
  toolSet: ToolSet;
  clock: Clock;
  context: TurnContext;
  onEvent(event: AgentSessionEvent): Promise<void>;
  signal: AbortSignal;
  loopGuard: LoopGuard;
  /** What a result was needed for, where it should leave the context later. */
  scopeOf(call: ToolCall, outcome: ToolOutcome): EntryScope | undefined;
}

/** Longer than it takes to end a tree of processes that does not want to. */
const abortGraceMs = 5000;
/** An unknown name has no effect to speak of: the gate will only answer. */
const effectOfUnknown = "read";

export function createToolRunner(deps: ToolRunnerDeps): ToolRunner {
  const { toolSet, clock, context, onEvent, signal, scopeOf, loopGuard } = deps;
  const conclude = async (call: ToolCall, outcome: ToolOutcome) => {
    const result: ToolResultMessage = {
      role: "toolResult",
      toolCallId: call.id,
      toolName: call.name,
      content: outcome.content,
      details: outcome.details,
      isError: outcome.isError,
      timestamp: clock.now(),
    };
    await context.record({
      body: { type: "tool_end", toolCallId: call.id },
      entries: [buildMessageEntry(result, clock.now(), scopeOf(call, outcome))],
    });
  };
  const runOnce = async (call: ToolCall, identity: { toolCallId: string; toolName: string }): Promise<ToolOutcome> => {
    const refusal = loopGuard.refuses(call);
    if (refusal !== undefined) {
      const outcome = {
        content: [{ type: "text" as const, text: refusal }],
        details: { code: loopCode },
        isError: true,
      };
      loopGuard.note(call, outcome);
      return outcome;
    }
    const running = toolSet.run(
      call,
      signal,
      (partial) => {
        void onEvent({ type: "tool_execution_update", ...identity, text: contentText(partial.content) });
      },
      (approval, state) => {
        const over = { type: "approval_end" as const, approvalId: approval.id, toolCallId: call.id };
        void onEvent(state === "over" ? over : { type: "approval_request", approval });
      },
    );
    const watch = endAfterAbort(clock, signal);
    const outcome = await Promise.race([running, watch.ended]).finally(watch.cancel);
    const remark = loopGuard.note(call, outcome);
    if (remark === undefined) return outcome;
    return { ...outcome, content: [...outcome.content, { type: "text", text: remark }] };
  };
  return {
    conclude,
    async run(call) {
      const identity = { toolCallId: call.id, toolName: call.name };
      const label = toolSet.describe(call);
      const startedAt = clock.monotonic();
      const effect = toolSet.effectOf(call) ?? effectOfUnknown;
      await context.record({ body: { type: "tool_start", ...identity, effect }, entries: [] });
      await onEvent({ type: "tool_execution_start", ...identity, label, args: call.arguments });
      const outcome = await runOnce(call, identity);
      // Parked while it waited for a person: the call is not over, it is made when the turn goes on.
      const isPutOff = signal.reason === "parked" && !(await toolSet.mayHaveRun(call));
      if (!isPutOff) await conclude(call, outcome);
      await onEvent({
        type: "tool_execution_end",
        ...identity,
        label,
        text: contentText(outcome.content),
        details: outcome.details,
        durationMs: clock.monotonic() - startedAt,
        isError: outcome.isError,
      });
      return outcome;
    },
  };
}

/** A tool that does not end when it is told to is left behind, so that a stop always is one. */
function endAfterAbort(clock: Clock, signal: AbortSignal): { ended: Promise<ToolOutcome>; cancel(): void } {
  const text = "Stopped; the tool did not end when it was told to, and may still be at work.";
  const ended = Promise.withResolvers<ToolOutcome>();
  let cancelTimer = () => {};
  const giveUp = () => {
    const outcome = { content: [{ type: "text" as const, text }], details: { abandoned: true }, isError: true };
    cancelTimer = clock.after(abortGraceMs, () => ended.resolve(outcome));
  };
  if (signal.aborted) giveUp();
  else signal.addEventListener("abort", giveUp, { once: true });
  return {
    ended: ended.promise,
    cancel() {
      signal.removeEventListener("abort", giveUp);
      cancelTimer();
    },
  };
}

/** Before a resumed turn asks the model again: every call of its last answer gets its result. */
export async function settlePendingCalls(runner: ToolRunner, toolSet: ToolSet, context: TurnContext): Promise<void> {
  const started = new Map<string, string>();
  const ended = new Set<string>();
  const last = context.steps.findLastIndex(({ body }) => body.type === "assistant");
  for (const { body } of context.steps.slice(last + 1)) {
    if (body.type === "tool_start") started.set(body.toolCallId, body.effect);
    if (body.type === "tool_end") ended.add(body.toolCallId);
  }
  const pending = lastAssistant(context.steps)?.content.filter((block) => block.type === "toolCall") ?? [];
  await Promise.all(
    pending.map(async (call) => {
      if (ended.has(call.id)) return;
      const effect = started.get(call.id);
      const isUndone = effect === undefined || effect === "read" || !(await toolSet.mayHaveRun(call));
      if (isUndone) await runner.run(call);
      else await runner.conclude(call, interrupted(toolSet.describe(call)));
    }),
  );
}

function interrupted(label: string): ToolOutcome {
  const text = `Interrupted: mom was restarted while this ran (${label}). It may have run, wholly or in part. Check before you do it again.`;
  return { content: [{ type: "text", text }], details: { interrupted: true }, isError: true };
}

/** The answer, if the turn had come that far when it was cut off. */
export function findLastAnswer(steps: readonly TurnStep[]): string | undefined {
  const last = steps.at(-1);
  const message = last?.body.type === "assistant" ? lastAssistant(steps) : undefined;
  if (!message || message.content.some((block) => block.type === "toolCall")) return undefined;
  return textOf(message);
}

function lastAssistant(steps: readonly TurnStep[]): AssistantMessage | undefined {
  const entries = steps.findLast(({ body }) => body.type === "assistant")?.entries ?? [];
  for (const entry of entries) if (entry.type === "message" && entry.message.role === "assistant") return entry.message;
  return undefined;
}

export function textOf(message: AssistantMessage): string {
  return message.content
    .flatMap((block) => (block.type === "text" ? [block.text] : []))
    .join("\n\n")
    .trim();
}

function contentText(content: readonly (TextContent | ImageContent)[]): string {
  return content.map((block) => (block.type === "text" ? block.text : `[image ${block.mimeType}]`)).join("\n");
}
