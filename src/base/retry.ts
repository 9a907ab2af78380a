/**
 * Does something again that may succeed a little later (spec 4.3): what the other side asked for first (`Retry-After`), else
 * a wait that doubles, with chance in it. One policy per platform is data beside its caller; this is the only loop.
 */
import type { Clock } from "../contracts/clock.ts";

export interface RetryPolicy {
  /** Tries after the first one. */
  maxRetries: number;
  /** The first wait; each further one is twice as long. */
  minDelayMs: number;
  maxDelayMs: number;
  /** Share by which a wait may be shorter or longer, 0 to 1. A wait that the other side asked for is kept exactly. */
  jitter: number;
  /** A longer wish of the other side is not waited for: the failure is the caller's at once. Absent: any is. */
  maxRetryAfterMs?: number;
}

export interface Retry {
  /** 1 is the first repetition. */
  attempt: number;
  maxRetries: number;
  delayMs: number;
  error: unknown;
}

export interface RetryCall extends RetryPolicy {
  clock: Clock;
  /** Ends a wait at once; the call then rejects with the signal's reason. `fn` watches it by itself. */
  signal?: AbortSignal;
  isRetryable(error: unknown): boolean;
  /** Milliseconds that the other side asked to be left alone. Absent or undefined: it did not say. */
  retryAfterMs?(error: unknown): number | undefined;
  /** Told before each wait. May not throw. */
  onRetry?(retry: Retry): void;
  /** In [0, 1). Absent: Math.random. */
  random?(): number;
}

/** Resolves as the first success of `fn`; rejects as the failure that is not tried again. `attempt` counts from 1. */
export async function retryAsync<T>(fn: (attempt: number) => Promise<T>, call: RetryCall): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await fn(attempt);
    } catch (error) {
      if (attempt > call.maxRetries || call.signal?.aborted || !call.isRetryable(error)) throw error;
      const delayMs = pickDelayMs(attempt, call.retryAfterMs?.(error), call);
      if (delayMs === undefined) throw error;
      call.onRetry?.({ attempt, maxRetries: call.maxRetries, delayMs, error });
      await call.clock.sleep(delayMs, call.signal);
    }
  }
}

function pickDelayMs(attempt: number, askedMs: number | undefined, call: RetryCall): number | undefined {
  if (askedMs !== undefined) {
    const isTooLong = call.maxRetryAfterMs !== undefined && askedMs > call.maxRetryAfterMs;
    return isTooLong ? undefined : Math.max(0, askedMs);
  }
  return pickWaitMs(attempt, call, (call.random ?? Math.random)());
}

/** The wait before the try behind `attempt`, which counts from 1. `chance`: in [0, 1). */
export function pickWaitMs(
  attempt: number,
  { minDelayMs, maxDelayMs, jitter }: Pick<RetryPolicy, "minDelayMs" | "maxDelayMs" | "jitter">,
  chance: number,
): number {
  const delayMs = Math.min(maxDelayMs, minDelayMs * 2 ** (attempt - 1));
  return Math.round(delayMs * (1 - jitter + 2 * jitter * chance));
}
