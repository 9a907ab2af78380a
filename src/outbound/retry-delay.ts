/** How long to wait before the next try: what the platform asked for, else doubling with some chance in it. */
const firstMs = 1000;
const longestMs = 5 * 60_000;

export function pickRetryDelayMs(attempts: number, askedMs: number | undefined, chance = Math.random()): number {
  if (askedMs !== undefined) return askedMs;
  const fullMs = Math.min(longestMs, firstMs * 2 ** Math.max(0, attempts - 1));
  return Math.round(fullMs * (0.75 + chance / 4));
}
