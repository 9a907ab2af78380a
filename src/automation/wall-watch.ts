/**
 * Notices a wall clock that was turned back: while mom runs by what she saw last, and at a start by what she wrote down. Then
 * every source reckons anew, for a next time that was reckoned from a wrong future might be years away.
 */
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";
import type { DueHandler, DueSource } from "../contracts/schedule.ts";
import type { KeyValue } from "../contracts/store.ts";

interface WallWatch {
  /** True: the clock was turned back since the last look, and the handlers have been told. */
  look(handlers: ReadonlyMap<DueSource, DueHandler>): Promise<boolean>;
  /** Writes down what was seen last. Does not throw. */
  save(): Promise<void>;
}

/** Less is what time servers do all day. */
const toleranceMs = 2000;
/** How often the time is written down. */
const saveEveryMs = 300_000;
const scope = "scheduler";
const key = "lastSeenMs";

export function createWallWatch({ clock, log, kv }: { clock: Clock; log: Log; kv: KeyValue }): WallWatch {
  let lastSeenMs: number | undefined;
  let savedMs = Number.NEGATIVE_INFINITY;
  /** Who has not been told yet: a handler that fails is told again with the next look. */
  const untold = new Set<DueSource>();

  const load = async () => {
    const saved = await kv.get(scope, key);
    if (typeof saved === "number") savedMs = saved;
    return savedMs;
  };
  const save = async () => {
    if (lastSeenMs === undefined || lastSeenMs === savedMs) return;
    try {
      await kv.set(scope, key, lastSeenMs);
      savedMs = lastSeenMs;
    } catch (error) {
      log.warn("The time could not be written down", { error });
    }
  };
  const tell = async (handlers: ReadonlyMap<DueSource, DueHandler>, now: number) => {
    for (const source of [...untold]) {
      try {
        await handlers.get(source)?.clockTurnedBack?.(now);
        untold.delete(source);
      } catch (error) {
        log.error(`The times of ${source} could not be reckoned anew; trying again`, { error });
      }
    }
  };
  return {
    async look(handlers) {
      const last = lastSeenMs ?? (await load());
      const now = clock.now();
      const isBack = now < last - toleranceMs;
      if (isBack) {
        log.warn("The clock was turned back; what is due is reckoned anew", { byMs: last - now });
        for (const source of handlers.keys()) untold.add(source);
      }
      lastSeenMs = now;
      if (untold.size > 0) await tell(handlers, now);
      // Written down only once everybody knows: after a crash before that, all are told again.
      if (untold.size === 0 && (isBack || now - savedMs >= saveEveryMs)) await save();
      return isBack;
    },
    async save() {
      if (untold.size === 0) await save();
    },
  };
}
