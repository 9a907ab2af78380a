/**
 * The agent's face: runs one turn to its end, within its time, and can be told to stop at any moment. A turn that was cut
 * off goes on from its last recorded step.
 */
import { AgentError } from "../base/errors.ts";
import type { AgentOutcome, AgentSessionEvent, MomAgent, TurnContext } from "../contracts/agent.ts";
import type { SessionKey, TurnId } from "../contracts/ids.ts";
import type { ChannelContext, ChannelMessage } from "../contracts/message.ts";
import type { ModelInfo } from "../contracts/model.ts";
import type { SessionEntry } from "../contracts/session.ts";
import type { AgentDeps } from "./agent-deps.ts";
import { createAskOnce } from "./ask-once.ts";
import { createTokenEstimator, safetyMargin, sumTokens } from "./compaction/token-estimate.ts";
import { createContextLoader, mostContextEntries } from "./context/load-context.ts";
import { createContextKeeper } from "./context-keeper.ts";
import type { SharedParts } from "./create-workbench.ts";
import { prepareRequest } from "./prepare-request.ts";
import { buildLocalTimes } from "./prompt/local-time.ts";
import { runTurn } from "./run-turn.ts";
import { createTimeLimit, describeTimeout, watchWaiting } from "./time-limit.ts";
import { buildNote } from "./transcript-entries.ts";

type OnEvent = (event: AgentSessionEvent) => Promise<void>;

/** Why a turn was ended from outside. */
type AbortReason = "stopped" | "parked" | "timed_out";

export function createAgent(deps: AgentDeps): MomAgent {
  const { clock } = deps;
  const running = new Map<SessionKey, AbortController>();
  const shared: SharedParts = {
    contexts: createContextLoader(deps),
    estimate: createTokenEstimator(),
    times: buildLocalTimes(deps.surroundings.timeZone),
    warnedModels: new Set(),
    learnedWindows: new Map(),
    putOff: new Set(),
  };

  /** What works on a session can be ended from outside, and ends by itself when its time is over. */
  const begin = (sessionKey: SessionKey, timeoutMs: number) => {
    const abort = new AbortController();
    running.set(sessionKey, abort);
    const limit = createTimeLimit(clock, timeoutMs, () => abort.abort("timed_out" satisfies AbortReason));
    const release = () => {
      limit.cancel();
      if (running.get(sessionKey) === abort) running.delete(sessionKey);
    };
    return { signal: abort.signal, release, limit };
  };
  const timeLimitOf = ({ errand }: ChannelMessage, { session }: TurnContext) =>
    errand?.timeoutMs ?? deps.profileOf(session.agentId).runTimeoutMs;
  const run = async (message: ChannelMessage, context: TurnContext, onEvent: OnEvent, signal: AbortSignal) => {
    const runTimeoutMs = timeLimitOf(message, context);
    const isNoted = context.steps.at(-1)?.body.type === "note";
    if (context.turn.stopRequested) {
      if (context.steps.length > 0 && !isNoted) await recordNote(context, stoppedNote);
      return { stopReason: "aborted", reply: "" } satisfies AgentOutcome;
    }
    // It was over, and only that could not be told any more.
    if (isNoted) return buildTimeout(runTimeoutMs);
    const outcome = await runTurn(deps, { message, context, onEvent, signal, shared });
    return settle(outcome, context, signal.reason, runTimeoutMs);
  };
  /** A turn that was ended says so in the transcript, so that the model does not take it up again unasked. */
  const settle = async (outcome: AgentOutcome, context: TurnContext, reason: AbortReason, runTimeoutMs: number) => {
    if (outcome.stopReason !== "aborted" || reason === "parked") return outcome;
    if (reason !== "timed_out") {
      await recordNote(context, stoppedNote);
      return outcome;
    }
    await recordNote(context, "(I ran out of time here and did not finish this.)");
    return buildTimeout(runTimeoutMs);
  };
  const recordNote = (context: TurnContext, text: string) =>
    context.record({ body: { type: "note" }, entries: [buildNote(text, clock.now())] });

  const resolveFor = async (session: SessionEntry): Promise<ModelInfo> => {
    const resolved = await deps.models.resolve(session.chosenModel ?? deps.profileOf(session.agentId).model);
    if (resolved.type === "unavailable") throw new AgentError("MODEL_UNAVAILABLE", resolved.message);
    return resolved.model;
  };
  const prepareFor = async (session: SessionEntry, channel: ChannelContext) => {
    const model = await resolveFor(session);
    const scope = {
      session,
      turnId: "describe" as TurnId,
      channel: session.lastChannel,
      adapterType: deps.surroundings.adapter(session.lastChannel.adapter).type,
      sender: { id: "", username: "", isBot: false },
      isAdmin: session.type === "main",
      model: model.ref,
    };
    return { model, prepared: await prepareRequest(deps, { model, scope, channel, times: shared.times }) };
  };

  return {
    async handleMessage(message, context, onEvent) {
      const work = begin(context.session.sessionKey, timeLimitOf(message, context));
      try {
        const outcome = await run(message, context, watchWaiting(onEvent, work.limit), work.signal);
        await onEvent({ type: "agent_end", stopReason: outcome.stopReason });
        return outcome;
      } finally {
        work.release();
      }
    },
    abort: (sessionKey, how) => running.get(sessionKey)?.abort(how satisfies AbortReason),
    isRunning: (sessionKey) => running.has(sessionKey),
    async compact(session, { sender, instructions, record }) {
      const channel = { adapter: session.lastChannel.adapter, users: [], channels: [] };
      const { model, prepared } = await prepareFor(session, channel);
      const { signal, release } = begin(session.sessionKey, deps.profileOf(session.agentId).runTimeoutMs);
      const { agentId, sessionKey, sessionId } = session;
      const aside = createAskOnce({
        models: deps.models,
        budgets: deps.budgets,
        clock,
        model,
        asker: { agentId, sessionKey, sender },
        signal,
        sessionId: `${sessionId}-notes`,
        preferredProfile: () => session.authProfile,
      });
      const keeper = createContextKeeper({
        ...shared,
        clock,
        sessionKey,
        model,
        fixedTokens: prepared.tokens.system + prepared.tokens.tools,
        record,
        ...aside,
        onEvent: async () => undefined,
        signal,
      });
      return await keeper.compact(instructions).finally(release);
    },
    async describeContext(session, channel) {
      const { model, prepared } = await prepareFor(session, channel);
      const { items } = await shared.contexts.load(session.sessionKey, mostContextEntries);
      const messages = shared.contexts.toMessages(items, model);
      return {
        model: model.ref,
        contextWindow: model.contextWindow,
        sections: prepared.sections,
        tools: prepared.tools,
        messages: items.length === 0 ? 0 : messages.length,
        tokens: { ...prepared.tokens, messages: Math.ceil(sumTokens(messages, shared.estimate) * safetyMargin) },
      };
    },
  };
}

function buildTimeout(runTimeoutMs: number): AgentOutcome {
  const limit = runTimeoutMs < 120_000 ? `${runTimeoutMs / 1000} s` : `${Math.round(runTimeoutMs / 60_000)} min`;
  return {
    stopReason: "error",
    reply: "",
    errorMessage: `I did not finish within ${limit} and stopped. What I did so far is kept; say "go on" if I should continue.`,
    errorDetail: describeTimeout(runTimeoutMs),
  };
}

const stoppedNote = "(I was stopped here and did not finish this.)";
