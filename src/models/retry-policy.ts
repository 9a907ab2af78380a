/**
 * How a model is asked again with the same key, while nothing has been said yet: patience of a few seconds, no more. A limit
 * of the key is waited for only when no other key is ready.
 */
import type { RetryPolicy } from "../base/retry.ts";

/**
 * The longest wait in one piece. What takes longer is not waited for: the profile cools down and the next one is tried. The
 * same patience holds for a profile that is about to be usable again.
 */
export const longestWaitMs = 8000;

/** The number of tries is the config's (`models.retries`). */
export const modelRetryPolicy: Omit<RetryPolicy, "maxRetries"> = {
  minDelayMs: 1000,
  maxDelayMs: longestWaitMs,
  jitter: 0.2,
  maxRetryAfterMs: longestWaitMs,
};
