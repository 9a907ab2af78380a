/**
 * One call to a provider, watched: ends at once when the signal aborts, and when nothing has come for too long. Called by
 * `ask-in-place.ts` for every try.
 */

import { errorText } from "../base/errors.ts";
import type { Clock } from "../contracts/clock.ts";
import type { AssistantMessage, ModelEvent } from "../contracts/model.ts";
import { buildSilenceFacts } from "./failure.ts";
import type { FailureFacts, Provider, ProviderCall } from "./provider.ts";

export type AttemptEnd =
  | { type: "done"; message: AssistantMessage }
  | { type: "aborted"; partial?: AssistantMessage }
  | { type: "failed"; facts: FailureFacts; partial?: AssistantMessage };

export interface AttemptWatch {
  clock: Clock;
  /** Longest silence, milliseconds. */
  timeoutMs: number;
  /** Every event but the last; not called after the attempt has ended. */
  onEvent(event: Exclude<ModelEvent, { type: "done" }>): void;
}

/** Never rejects. The provider's own signal is aborted when it resolves, so that nothing goes on behind it. */
export function runAttempt(provider: Provider, call: ProviderCall, watch: AttemptWatch): Promise<AttemptEnd> {
  return new Promise((resolve) => {
    const stop = new AbortController();
    let partial: AssistantMessage | undefined;
    let ended = false;
    let lastEventAt = watch.clock.monotonic();
    let cancelTimer: () => void = () => undefined;

    const end = (outcome: AttemptEnd) => {
      if (ended) return;
      ended = true;
      cancelTimer();
      call.signal.removeEventListener("abort", onAbort);
      stop.abort();
      resolve(outcome);
    };
    const withPartial = () => (partial === undefined ? {} : { partial });
    const onAbort = () => end({ type: "aborted", ...withPartial() });
    const fail = (facts: FailureFacts) => end({ type: "failed", facts, ...withPartial() });

    // One timer that looks back when it fires is cheaper than one that is set anew with every delta.
    const armTimer = (delayMs: number) => {
      cancelTimer = watch.clock.after(delayMs, () => {
        const leftMs = lastEventAt + watch.timeoutMs - watch.clock.monotonic();
        if (leftMs > 0) armTimer(leftMs);
        else fail(buildSilenceFacts(watch.timeoutMs));
      });
    };

    const consume = async () => {
      for await (const event of provider.ask({ ...call, signal: stop.signal })) {
        if (ended) return;
        lastEventAt = watch.clock.monotonic();
        if (event.type === "done") return end({ type: "done", message: event.message });
        if (event.type === "failed") return fail(event.facts);
        partial = event.partial;
        watch.onEvent(event);
      }
      fail({ text: "the stream ended without an answer" });
    };

    if (call.signal.aborted) return onAbort();
    call.signal.addEventListener("abort", onAbort, { once: true });
    armTimer(watch.timeoutMs);
    consume().catch((error: unknown) => fail({ text: errorText(error) }));
  });
}
