/** Asks a model for one summary after another, only so often and only while it answers: a failure never becomes a loop. */
import type { Ask, SummaryPrompt } from "./summary-prompts.ts";

const maxAsks = 24;
const maxFailuresInARow = 3;

export interface LimitedAsk {
  /** The answer, or undefined when there is none and will be none from this prompt. Rejects once the signal is aborted. */
  ask(prompt: SummaryPrompt): Promise<string | undefined>;
  count(): number;
  /** Why the last failed ask failed. */
  lastFailure(): string | undefined;
}

export function createLimitedAsk(ask: Ask, signal: AbortSignal): LimitedAsk {
  let asks = 0;
  let failuresInARow = 0;
  let lastFailure: string | undefined;
  return {
    async ask(prompt) {
      signal.throwIfAborted();
      if (asks >= maxAsks || failuresInARow >= maxFailuresInARow) return undefined;
      asks += 1;
      const answer = await unlessAborted(ask(prompt), signal);
      signal.throwIfAborted();
      if (answer.type === "ok" && answer.text.trim() !== "") {
        failuresInARow = 0;
        return answer.text.trim();
      }
      failuresInARow += 1;
      lastFailure = answer.type === "ok" ? "The model answered with nothing." : answer.reason;
      return undefined;
    },
    count: () => asks,
    lastFailure: () => lastFailure,
  };
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const abort = Promise.withResolvers<never>();
  const onAbort = () => abort.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  // An abort while `work` was being started has no event any more.
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([work, abort.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
