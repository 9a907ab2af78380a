/**
 * One run (spec 3.2): the model and its fallbacks in order; per model, attempts that shorten the conversation when it is
 * too long. Keys of a provider are rotated behind the model port. Nothing left: one clear error, the message kept.
 */
import type { AgentOutcome, AgentSessionEvent, TurnContext } from "../contracts/agent.ts";
import type { ChannelMessage } from "../contracts/message.ts";
import type { ModelInfo } from "../contracts/model.ts";
import type { AgentDeps } from "./agent-deps.ts";
import { createBudgetWatch } from "./budget-watch.ts";
import { createCandidates } from "./candidates.ts";
import { type Attempt, converse } from "./converse.ts";
import { createWorkbench, type SharedParts, type Workbench } from "./create-workbench.ts";
import { createLoopGuard } from "./loop-guard.ts";
import { takeInput } from "./take-input.ts";
import { takeWaiting } from "./take-waiting.ts";
import { findLastAnswer, settlePendingCalls } from "./tool-runner.ts";
import { type FailedModel, isSilent, toFailure, toOutcome } from "./turn-outcome.ts";

export interface RunParts {
  message: ChannelMessage;
  context: TurnContext;
  onEvent(event: AgentSessionEvent): Promise<void>;
  signal: AbortSignal;
  shared: SharedParts;
}

/** A model that calls tools without end is stopped here, before it costs more. */
const mostRounds = 100;
/** Times that a conversation is shortened for one model because the provider calls it too long. */
const mostShrinks = 3;

export async function runTurn(deps: AgentDeps, parts: RunParts): Promise<AgentOutcome> {
  const { context, onEvent, message } = parts;
  const { errand } = message;
  const answered = findLastAnswer(context.steps);
  // Nobody reads an errand's answer as it is: whoever sent it must see what was said, and nothing else.
  if (answered !== undefined && errand) return { stopReason: "stop", reply: answered };
  if (answered !== undefined)
    return toOutcome({ type: "answered", reply: answered, stopReason: "stop" }, [], mostRounds);
  const run = createRun(deps, parts);
  const failures: FailedModel[] = [];
  const { chosenModel, agentId } = context.session;
  const { model: agentModel, fallbacks } = deps.profileOf(agentId);
  const wanted = errand?.model ?? chosenModel ?? agentModel;
  const candidates = createCandidates(deps, [wanted, ...fallbacks]);
  for (let next = await candidates.next(); next !== undefined; next = await candidates.next()) {
    if (next.type === "unavailable") {
      failures.push({ ref: next.ref, failure: { message: next.message, detail: next.message } });
      continue;
    }
    const { model } = next;
    const previous = failures.at(-1);
    if (previous) {
      const reason = previous.failure.detail;
      await onEvent({ type: "model_fallback", from: previous.ref, to: model.ref, reason });
      deps.log.warn("Falling back to another model", { from: previous.ref, to: model.ref, reason });
    }
    const attempt = await run.tryModel(model);
    if (attempt.type === "failed" && attempt.failure.rule !== "give_up") {
      failures.push({ ref: model.ref, failure: attempt.failure });
    } else if (attempt.type === "over_budget" && attempt.verdict.type === "cheaper") {
      failures.push({ ref: model.ref, failure: { message: attempt.verdict.note, detail: attempt.verdict.note } });
      candidates.only(attempt.verdict.model);
    } else {
      if (errand && attempt.type === "answered") return { stopReason: attempt.stopReason, reply: attempt.reply };
      const mayAdd = attempt.type === "answered" && !isSilent(attempt.reply);
      return toOutcome(attempt, mayAdd ? await run.budget.takeNotes() : [], mostRounds);
    }
  }
  await run.keepMessage();
  return toFailure(failures);
}

function createRun(deps: AgentDeps, parts: RunParts) {
  const { message, context, onEvent, signal, shared } = parts;
  const { session } = context;
  const sender = `${context.adapter}:${message.sender.id}`;
  const asker = { agentId: session.agentId, sessionKey: session.sessionKey, sender };
  const budget = createBudgetWatch(deps, asker);
  const loopGuard = createLoopGuard(context.steps);
  let rounds = context.steps.filter(({ body }) => body.type === "assistant").length;
  let isBegun = false;
  let isTaken = false;
  let profile = session.authProfile;

  const hasInput = () => isTaken || context.steps.some(({ body }) => body.type === "input");
  /** Undefined: it is part of the transcript now. */
  const take = async (model?: ModelInfo): Promise<string | undefined> => {
    isTaken = true;
    const taken = await takeInput(deps, { message, context, model, shared });
    return taken.type === "refused" ? taken.message : undefined;
  };
  /** Everything that comes before the first request of the turn; once, whichever model it is for. */
  const begin = async (bench: Workbench): Promise<string | undefined> => {
    if (isBegun) return undefined;
    isBegun = true;
    await onEvent({ type: "agent_start", model: bench.model.ref, resumed: context.steps.length > 0 });
    if (hasInput()) await settlePendingCalls(bench.tools, bench.toolSet, context);
    else {
      const refusal = await take(bench.model);
      if (refusal !== undefined) return refusal;
    }
    if (context.queueMode === "collect" && rounds === 0) await takeWaiting(deps, parts);
    return undefined;
  };
  const attemptWith = (bench: Workbench): Promise<Attempt> =>
    converse({
      models: deps.models,
      usage: deps.usage,
      clock: deps.clock,
      context: { ...context, record: countRounds },
      sender,
      request: bench.request,
      keeper: bench.keeper,
      runTool: bench.tools.run,
      stuckWith: loopGuard.stuckWith,
      checkBudget: () => budget.check(bench.model),
      steer: async () => (context.queueMode === "steer" ? takeWaiting(deps, parts) : []),
      onProfile(used) {
        profile = used;
      },
      preferredProfile: () => profile,
      onEvent,
      signal,
      maxRounds: mostRounds - rounds,
    });
  const countRounds: TurnContext["record"] = async (step) => {
    if (step.body.type === "assistant") rounds++;
    await context.record(step);
  };

  return {
    budget,
    /** Where no model could be asked at all, the message is there for the next try all the same. */
    async keepMessage() {
      if (!hasInput()) await take();
    },
    async tryModel(model: ModelInfo): Promise<Attempt> {
      const preferredProfile = () => profile;
      const made = await createWorkbench(deps, {
        model,
        message,
        context,
        onEvent,
        signal,
        loopGuard,
        shared,
        asker,
        preferredProfile,
      });
      if (made.type === "unfit") return { type: "failed", failure: made.failure };
      const refusal = await begin(made);
      if (refusal !== undefined) return { type: "answered", reply: refusal, stopReason: "stop" };
      let attempt = await attemptWith(made);
      for (let shrinks = 0; shrinks < mostShrinks && isTooLong(attempt) && (await made.keeper.shrink()); shrinks++) {
        attempt = await attemptWith(made);
      }
      if (attempt.type === "failed" && signal.aborted) return { type: "aborted" };
      if (attempt.type === "answered") {
        await deps.sessions.noteModel(session.sessionKey, {
          provider: model.provider,
          ref: model.ref,
          ...(profile !== undefined && { authProfile: profile }),
        });
      }
      return attempt;
    },
  };
}

const isTooLong = (attempt: Attempt) => attempt.type === "failed" && attempt.failure.rule === "compact";
