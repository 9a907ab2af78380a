/** Remembers values for a while, in bounded memory: the longest unused go first. Pages and search answers live in it. */
import type { Clock } from "../../contracts/clock.ts";

export interface TimedCache<Value> {
  get(key: string): Value | undefined;
  /** `bytes` is what it counts for; one that alone is over the limit is not kept. */
  set(key: string, value: Value, bytes: number): void;
}

export interface TimedCacheLimits {
  /** 0 keeps nothing. */
  maxAgeMs: number;
  maxEntries: number;
  maxBytes: number;
}

export function createTimedCache<Value>(
  clock: Clock,
  { maxAgeMs, maxEntries, maxBytes }: TimedCacheLimits,
): TimedCache<Value> {
  /** In the order of use, the longest unused first. */
  const entries = new Map<string, { value: Value; bytes: number; until: number }>();
  let total = 0;
  const drop = (key: string) => {
    total -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  };
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      if (clock.monotonic() >= entry.until) {
        drop(key);
        return undefined;
      }
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    set(key, value, bytes) {
      drop(key);
      if (bytes > maxBytes || maxAgeMs <= 0) return;
      entries.set(key, { value, bytes, until: clock.monotonic() + maxAgeMs });
      total += bytes;
      for (const oldest of entries.keys()) {
        if (total <= maxBytes && entries.size <= maxEntries) break;
        drop(oldest);
      }
    },
  };
}
