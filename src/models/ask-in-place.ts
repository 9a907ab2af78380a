/**
 * Asks with one credential: tries, waits and tries again while nothing has been said yet, unless another key could take
 * over at once. Called by `ask-with-profiles.ts` for each profile; every single try is `run-attempt.ts`, what a failure
 * means is `failure.ts`.
 */
import { retryAsync } from "../base/retry.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";
import type { AssistantMessage, ModelEvent, ModelFailure, ModelRequest } from "../contracts/model.ts";
import { classifyFailure } from "./failure.ts";
import type { CallCredential, FailureFacts, Provider, ProviderCall } from "./provider.ts";
import { modelRetryPolicy } from "./retry-policy.ts";
import { runAttempt } from "./run-attempt.ts";

export interface AskInPlaceDeps {
  clock: Clock;
  log: Log;
  emit(event: ModelEvent): void;
}

export interface InPlaceCall {
  provider: Provider;
  request: ModelRequest;
  /** Absent: the endpoint needs none. */
  credential?: CallCredential;
  timeoutMs: number;
  retries: number;
  /** Asked when a try has failed: is another key ready? What that may cure is then not waited for. Absent: there is none. */
  isOtherReady?(): boolean;
}

export type InPlaceEnd =
  | { type: "done"; message: AssistantMessage }
  | { type: "aborted"; partial?: AssistantMessage }
  /** `hasBegun`: something of it has been passed on, so that nobody may ask again. */
  | { type: "failed"; failure: ModelFailure; hasBegun: boolean; partial?: AssistantMessage };

type FailedEnd = Extract<InPlaceEnd, { type: "failed" }>;

/** Carries a failed try through the retry loop; never leaves this file. */
class TryFailed extends Error {
  readonly end: FailedEnd;
  readonly isRetryable: boolean;
  constructor(end: FailedEnd, isRetryable: boolean) {
    super(end.failure.detail);
    this.end = end;
    this.isRetryable = isRetryable && !end.hasBegun;
  }
}

/** Rejects only on a bug. */
export async function askInPlace(deps: AskInPlaceDeps, call: InPlaceCall): Promise<InPlaceEnd> {
  const { request } = call;
  try {
    return await retryAsync(() => tryOnce(deps, call), {
      ...modelRetryPolicy,
      maxRetries: call.retries,
      clock: deps.clock,
      signal: request.signal,
      isRetryable: (error) => error instanceof TryFailed && error.isRetryable,
      retryAfterMs: (error) => (error instanceof TryFailed ? error.end.failure.retryAfterMs : undefined),
      onRetry({ attempt, maxRetries, delayMs, error }) {
        if (error instanceof TryFailed) tellRetry(deps, request, { attempt, maxRetries, delayMs }, error.end.failure);
      },
    });
  } catch (error) {
    if (request.signal.aborted) return { type: "aborted" };
    if (error instanceof TryFailed) return error.end;
    throw error;
  }
}

/** What a failure means; the key that was used is in no word of it. */
export function toFailure(facts: FailureFacts, call: Pick<InPlaceCall, "provider" | "request" | "credential">) {
  const own = call.credential === undefined ? [] : [call.credential.secret];
  return classifyFailure(facts, { ref: call.request.model.ref, secrets: [...call.provider.secrets, ...own] });
}

async function tryOnce(deps: AskInPlaceDeps, call: InPlaceCall): Promise<InPlaceEnd> {
  let hasBegun = false;
  const end = await runAttempt(call.provider, toProviderCall(call), {
    clock: deps.clock,
    timeoutMs: call.timeoutMs,
    onEvent(event) {
      // Held back until there is something to show: up to then the call can still be repeated unnoticed.
      if (event.type === "start") return;
      if (!hasBegun) deps.emit({ type: "start", partial: event.partial });
      hasBegun = true;
      deps.emit(event);
    },
  });
  if (end.type === "aborted") return end;
  if (end.type === "done") {
    if (!hasBegun) deps.emit({ type: "start", partial: end.message });
    deps.emit({ type: "done", message: end.message });
    return end;
  }
  const { failure, retryable } = toFailure(end.facts, call);
  const partial = end.partial === undefined ? {} : { partial: end.partial };
  const isForAnother = failure.rule === "rotate" && call.isOtherReady?.() === true;
  throw new TryFailed({ type: "failed", failure, hasBegun, ...partial }, retryable && !isForAnother);
}

function toProviderCall({ request, credential }: InPlaceCall): ProviderCall {
  const { model, system, messages, tools, signal, sessionId, maxOutputTokens } = request;
  return {
    model,
    system,
    messages,
    tools,
    signal,
    sessionId,
    thinking: request.thinking ?? "off",
    ...(credential !== undefined && { credential }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
  };
}

function tellRetry(
  deps: AskInPlaceDeps,
  request: ModelRequest,
  { attempt, maxRetries, delayMs }: { attempt: number; maxRetries: number; delayMs: number },
  failure: ModelFailure,
): void {
  const { reason, detail } = failure;
  const facts = { model: request.model.ref, reason, detail, retry: attempt, delayMs };
  deps.log.warn("model call failed, trying again", facts);
  try {
    request.onRetry?.({ attempt, maxAttempts: maxRetries, delayMs, failure });
  } catch (error) {
    deps.log.error("the listener for model retries failed", { error });
  }
}
