/** So many in a minute, spread evenly after a burst. Kept in memory: a restart forgives. */
import type { Clock } from "../../contracts/clock.ts";

export function createRateLimit({ clock }: { clock: Clock }, perMinute: number): { take(): boolean } {
  let left = perMinute;
  let lookedAt = clock.monotonic();
  return {
    take() {
      const now = clock.monotonic();
      left = Math.min(perMinute, left + ((now - lookedAt) / 60_000) * perMinute);
      lookedAt = now;
      if (left < 1) return false;
      left--;
      return true;
    },
  };
}
