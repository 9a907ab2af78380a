/**
 * A request to a model from beginning to end: tries, waits and tries again while nothing has been said yet, then passes
 * the events on. Stands between the port (`create-models.ts`) and the providers; the failure rules are in `failure.ts`.
 */
import { errorText } from "../base/errors.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";
import type { AssistantMessage, ModelEvent, ModelFailure, ModelRequest, ModelStream } from "../contracts/model.ts";
import { createEventQueue } from "./event-queue.ts";
import { buildFailedMessage } from "./failed-message.ts";
import { buildAbortedFailure, classifyFailure } from "./failure.ts";
import type { Provider } from "./provider.ts";
import { pickRetryDelay } from "./retry-policy.ts";
import { type AttemptEnd, runAttempt } from "./run-attempt.ts";

export interface AskDeps {
  clock: Clock;
  log: Log;
  /** The provider of the request's model; rejects when it cannot be had. */
  load(): Promise<Provider>;
}

export interface AskSettings {
  timeoutMs: number;
  retries: number;
  /** Tokens; absent means as many as the model may. */
  maxOutputTokens?: number;
}

type Answer = { message: AssistantMessage; failure?: ModelFailure };

/** Starts at once, whether or not anyone reads the events. `done` is the last event of an answer; a failure has none. */
export function askWithRetries(deps: AskDeps, settings: AskSettings, request: ModelRequest): ModelStream {
  const events = createEventQueue<ModelEvent>();
  const answer = run(deps, settings, request, (event) => events.push(event))
    .catch((error: unknown) => buildCrashAnswer(deps, request, error))
    .finally(() => events.end());
  return {
    [Symbol.asyncIterator]: () => events[Symbol.asyncIterator](),
    result: () => answer,
  };
}

async function run(
  deps: AskDeps,
  settings: AskSettings,
  request: ModelRequest,
  emit: (event: ModelEvent) => void,
): Promise<Answer> {
  const provider = await deps.load();
  for (let retry = 1; ; retry++) {
    let begun = false;
    const end = await runAttempt(provider, toCall(request, settings), {
      clock: deps.clock,
      timeoutMs: settings.timeoutMs,
      onEvent(event) {
        // Held back until there is something to show: up to then the call can still be repeated unnoticed.
        if (event.type === "start") return;
        if (!begun) emit({ type: "start", partial: event.partial });
        begun = true;
        emit(event);
      },
    });
    if (end.type === "done") {
      if (!begun) emit({ type: "start", partial: end.message });
      emit({ type: "done", message: end.message });
      return { message: end.message };
    }
    const waited = begun ? false : await waitForRetry(deps, settings, request, provider, end, retry);
    if (!waited) return buildFailedAnswer(deps, request, provider, end);
  }
}

/** True: the wait is over, try again. */
async function waitForRetry(
  deps: AskDeps,
  settings: AskSettings,
  request: ModelRequest,
  provider: Provider,
  end: AttemptEnd,
  retry: number,
): Promise<boolean> {
  if (end.type !== "failed" || retry > settings.retries) return false;
  const { failure, retryable } = classifyFailure(end.facts, { ref: request.model.ref, secrets: provider.secrets });
  const delayMs = retryable ? pickRetryDelay(retry, failure.retryAfterMs) : undefined;
  if (delayMs === undefined) return false;
  deps.log.warn("model call failed, trying again", {
    model: request.model.ref,
    reason: failure.reason,
    detail: failure.detail,
    retry,
    delayMs,
  });
  try {
    request.onRetry?.({ attempt: retry, maxAttempts: settings.retries, delayMs, failure });
  } catch (error) {
    deps.log.error("the listener for model retries failed", { error });
  }
  // An abort ends the wait; the next attempt sees the signal and ends as aborted.
  await deps.clock.sleep(delayMs, request.signal).catch(() => undefined);
  return true;
}

function toCall(request: ModelRequest, settings: AskSettings) {
  const { model, system, messages, tools, signal, sessionId } = request;
  const call = { model, system, messages, tools, signal, sessionId };
  return settings.maxOutputTokens === undefined ? call : { ...call, maxOutputTokens: settings.maxOutputTokens };
}

function buildFailedAnswer(
  deps: AskDeps,
  request: ModelRequest,
  provider: Provider,
  end: Exclude<AttemptEnd, { type: "done" }>,
): Answer {
  const failure =
    end.type === "aborted"
      ? buildAbortedFailure(request.model.ref)
      : classifyFailure(end.facts, { ref: request.model.ref, secrets: provider.secrets }).failure;
  if (end.type === "failed") {
    deps.log.info("model call failed", { model: request.model.ref, reason: failure.reason, detail: failure.detail });
  }
  const message = buildFailedMessage(
    { model: request.model, api: provider.api, failure, nowMs: deps.clock.now() },
    end.partial,
  );
  return { message, failure };
}

/** A bug, or a provider that could not be loaded: told like any other failure, because a stream never throws. */
function buildCrashAnswer(deps: AskDeps, request: ModelRequest, error: unknown): Answer {
  deps.log.error("a model could not be asked", { model: request.model.ref, error });
  const { failure } = classifyFailure({ text: errorText(error) }, { ref: request.model.ref, secrets: [] });
  const message = buildFailedMessage(
    { model: request.model, api: request.model.provider, failure, nowMs: deps.clock.now() },
    undefined,
  );
  return { message, failure };
}
