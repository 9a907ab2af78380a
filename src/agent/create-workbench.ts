/** What one turn needs to work with one model: its tools, its prompt, and the keeper of its context. */
import { join } from "node:path";
import type { AgentSessionEvent, TurnContext } from "../contracts/agent.ts";
import type { BudgetAsker } from "../contracts/budget.ts";
import type { SessionKey } from "../contracts/ids.ts";
import type { ChannelMessage } from "../contracts/message.ts";
import type { ModelFailure, ModelInfo, ModelRequest } from "../contracts/model.ts";
import type { ToolSet } from "../contracts/tool.ts";
import type { AgentDeps } from "./agent-deps.ts";
import { createAskOnce } from "./ask-once.ts";
import { buildScope } from "./build-scope.ts";
import { renderMaterial } from "./compaction/render-material.ts";
import type { EstimateTokens } from "./compaction/token-estimate.ts";
import type { ContextLoader } from "./context/load-context.ts";
import { pickScope } from "./context/pick-scope.ts";
import { type ContextKeeper, createContextKeeper } from "./context-keeper.ts";
import type { LoopGuard } from "./loop-guard.ts";
import { flushMemory } from "./memory-flush.ts";
import { prepareRequest } from "./prepare-request.ts";
import type { LocalTimes } from "./prompt/local-time.ts";
import { createToolRunner, type ToolRunner } from "./tool-runner.ts";
import { checkWindow } from "./window-guard.ts";

/** Made once per agent room and used by every turn. */
export interface SharedParts {
  contexts: ContextLoader;
  estimate: EstimateTokens;
  times: LocalTimes;
  /** Models whose small window was already spoken of. */
  warnedModels: Set<string>;
  learnedWindows: Map<string, number>;
  putOff: Set<SessionKey>;
}

export interface Workbench {
  type: "ready";
  model: ModelInfo;
  toolSet: ToolSet;
  tools: ToolRunner;
  request: Pick<ModelRequest, "model" | "system" | "tools" | "thinking" | "sessionId">;
  keeper: ContextKeeper;
}

export interface WorkbenchParts {
  model: ModelInfo;
  message: ChannelMessage;
  context: TurnContext;
  asker: BudgetAsker;
  preferredProfile(): string | undefined;
  onEvent(event: AgentSessionEvent): Promise<void>;
  signal: AbortSignal;
  loopGuard: LoopGuard;
  shared: SharedParts;
}

/** Characters of a conversation that are looked through for lasting notes. */
const flushChars = 60_000;

/** `unfit`: prompt and tools alone are too much for the model's window. */
export async function createWorkbench(
  deps: AgentDeps,
  parts: WorkbenchParts,
): Promise<Workbench | { type: "unfit"; failure: ModelFailure }> {
  const { model, message, context, onEvent, signal, shared, asker } = parts;
  const { session } = context;
  const scope = buildScope(deps.surroundings, { message, context, model: model.ref });
  const prepared = await prepareRequest(deps, {
    model,
    scope,
    channel: context,
    times: shared.times,
    ...(message.errand && { errand: message.errand }),
  });
  const { toolSet, system, tools, thinking, tokens } = prepared;
  const fixedTokens = tokens.system + tokens.tools;
  const failure = checkWindow(model, fixedTokens, { log: deps.log, warned: shared.warnedModels });
  if (failure) return { type: "unfit", failure };

  const skillPaths = new Map(prepared.skills.map(({ path, name, isPinned }) => [path, { name, isPinned }]));
  const profile = deps.profileOf(session.agentId);
  const runner = createToolRunner({
    toolSet,
    clock: deps.clock,
    context,
    onEvent,
    signal,
    loopGuard: parts.loopGuard,
    scopeOf: (call, { content, isError }) =>
      pickScope({
        toolName: call.name,
        args: call.arguments,
        content,
        skillPaths,
        cwd: deps.surroundings.workDir(scope),
        effect: toolSet.effectOf(call),
        isError,
      }),
  });
  const { sessionId, sessionKey } = session;
  const aside = createAskOnce({
    models: deps.models,
    budgets: deps.budgets,
    clock: deps.clock,
    model,
    asker,
    signal,
    sessionId: `${sessionId}-notes`,
    preferredProfile: parts.preferredProfile,
  });
  const mayFlush = profile.memoryFlush && session.type === "main" && model.isPlanner === undefined;
  let isFlushed = context.steps.some(({ body }) => body.type === "memory_flush");
  const keeper = createContextKeeper({
    ...shared,
    clock: deps.clock,
    sessionKey,
    model,
    fixedTokens,
    record: context.record,
    ask: aside.ask,
    takeUsage: aside.takeUsage,
    ...(mayFlush && {
      async flush(old) {
        if (isFlushed) return;
        isFlushed = true;
        const describe = (messages: typeof old) => renderMaterial(messages, flushChars).text;
        const folder = join(profile.workspaceDir, "memory");
        const day = shared.times.minute(deps.clock.now()).slice(0, 10);
        const lines = await flushMemory(old, { toolSet, ask: aside.ask, describe, folder, day, signal });
        await context.record({ body: { type: "memory_flush" }, entries: [], usage: aside.takeUsage() });
        deps.log.debug("Notes were taken before a compaction", { session: sessionKey, lines });
      },
    }),
    onEvent,
    signal,
  });
  return {
    type: "ready",
    model,
    toolSet,
    tools: runner,
    keeper,
    request: { model, system, tools, thinking, sessionId },
  };
}
