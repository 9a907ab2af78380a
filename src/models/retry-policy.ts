/** How long to wait before a model is asked again. The provider's own time first; else growing, with jitter. */

const firstDelayMs = 1000;
const longestDelayMs = 30_000;
const jitterShare = 0.2;

/** Nobody in a chat waits longer than this for a second try; beyond it the failure is told instead. */
const longestObeyedMs = 60_000;

/**
 * Milliseconds before try number `retry` (1 is the first repetition); undefined when the provider asks for more patience
 * than a person has. `random` is in [0, 1).
 */
export function pickRetryDelay(
  retry: number,
  retryAfterMs: number | undefined,
  random = Math.random,
): number | undefined {
  if (retryAfterMs !== undefined) return retryAfterMs <= longestObeyedMs ? Math.max(0, retryAfterMs) : undefined;
  const delayMs = Math.min(longestDelayMs, firstDelayMs * 2 ** (retry - 1));
  return Math.round(delayMs * (1 - jitterShare + 2 * jitterShare * random()));
}
