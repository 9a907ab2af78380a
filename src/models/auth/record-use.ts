/**
 * When each profile was last used. It changes with every call, so it is kept in memory and written now and then; the order
 * of profiles looks here first, so that calls at the same time are spread at once.
 */
import type { AuthData, AuthStore } from "../../contracts/auth.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import { keyMarkOf, type Profile, statsOf } from "./profile.ts";

const flushEveryMs = 30_000;

export interface UseRecord {
  note(profile: Profile): void;
  /** Undefined: not in this process. */
  lastUsed(id: string): number | undefined;
  /** Puts what is not written yet into `data`: for whoever writes the file anyway. */
  addTo(data: AuthData): void;
  /** Never rejects. */
  flush(): Promise<void>;
}

export function createUseRecord({ store, clock, log }: { store: AuthStore; clock: Clock; log: Log }): UseRecord {
  const lastUsed = new Map<string, number>();
  const unwritten = new Map<string, Profile>();
  let writtenAt = clock.monotonic();
  let flushing: Promise<void> = Promise.resolve();

  const addTo = (data: AuthData) => {
    for (const profile of unwritten.values()) {
      const stats = statsOf(data, profile);
      const at = lastUsed.get(profile.id) ?? 0;
      if (at > (stats.lastUsed ?? 0)) data.usageStats[profile.id] = withKeyMark({ ...stats, lastUsed: at }, profile);
    }
    unwritten.clear();
    writtenAt = clock.monotonic();
  };
  const flush = () => {
    flushing = flushing.then(async () => {
      if (unwritten.size === 0) return;
      const kept = new Map(unwritten);
      try {
        await store.update(addTo);
      } catch (error) {
        for (const [id, profile] of kept) if (!unwritten.has(id)) unwritten.set(id, profile);
        log.warn("the use of keys could not be written to auth.json", { error });
      }
    });
    return flushing;
  };

  return {
    note(profile) {
      lastUsed.set(profile.id, clock.now());
      unwritten.set(profile.id, profile);
      if (clock.monotonic() - writtenAt < flushEveryMs) return;
      writtenAt = clock.monotonic();
      void flush();
    },
    lastUsed: (id) => lastUsed.get(id),
    addTo,
    flush,
  };
}

/** Figures say which key they are about. */
export function withKeyMark<Stats extends object>(stats: Stats, profile: Profile): Stats & { keyMark?: string } {
  const keyMark = keyMarkOf(profile.credential);
  return keyMark === undefined ? stats : { ...stats, keyMark };
}
