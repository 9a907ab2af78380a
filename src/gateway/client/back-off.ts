/** How long to wait before the next try: longer each time, and not the same for all, so that many who were dropped at once come back one by one. */
export interface BackOff {
  /** `leastMs`: what the server asked for. */
  nextMs(leastMs?: number): number;
  reset(): void;
}

const firstMs = 1_000;
const longestMs = 30_000;

export function createBackOff(random: () => number): BackOff {
  let tries = 0;
  return {
    nextMs: (leastMs = 0) => {
      const upToMs = Math.min(longestMs, firstMs * 2 ** Math.min(tries++, 10));
      return Math.round(leastMs + upToMs * (0.2 + 0.8 * random()));
    },
    reset: () => {
      tries = 0;
    },
  };
}
