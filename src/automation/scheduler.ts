/**
 * Looks at the durable clock: when something has come due, its source's handler says what becomes of it, and the end is
 * written in one step (`DueClock.settle`). The rows are the truth; here are only one timer, and who must be asked later.
 */
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";
import type { DueClock, DueHandler, DueItem, DueSource, OccurrenceEnd, Scheduler } from "../contracts/schedule.ts";
import type { KeyValue } from "../contracts/store.ts";
import { createHolds } from "./holds.ts";
import { createWallWatch } from "./wall-watch.ts";

interface SchedulerDeps {
  due: DueClock;
  clock: Clock;
  log: Log;
  /** Remembers the last wall time seen. */
  kv: KeyValue;
}

/** Never one long sleep: a clock that jumps or a machine that slept is noticed this soon. */
const longestSleepMs = 30_000;
const retryMs = 5000;
const soonMs = 20;
/** How long items are served in a row, database writes and all, before others get the event loop. */
const longestHoldMs = 20;
/** Items that one look takes; what is left comes with the next. */
const mostPerLook = 1000;

export function createScheduler({ due, clock, log, kv }: SchedulerDeps): Scheduler {
  const handlers = new Map<DueSource, DueHandler>();
  const holds = createHolds(clock);
  const wall = createWallWatch({ clock, log, kv });
  /** What each source is at; one item after the other, and no source waits for another. */
  const lanes = new Map<DueSource, Promise<void>>();
  let looking: Promise<void> | undefined;
  let mustLook = false;
  let stopped = true;
  let cancelTimer = () => {};

  const serve = async (handler: DueHandler, item: DueItem) => {
    const wakes = holds.wakes;
    try {
      const verdict = await handler.decide(item, clock.now());
      if (verdict.type === "settle") return await settle(handler, item, verdict);
      // Whoever woke us meanwhile may have brought about what it waits for. Not at once: a handler that wakes us itself would
      // be asked in a circle.
      holds.wait(item, wakes === holds.wakes ? verdict.untilMs : clock.now() + soonMs);
    } catch (error) {
      const waitMs = holds.fail(item);
      log.error(`What is due could not be served (${item.source} ${item.id}); put off`, { error, waitMs });
    }
  };
  const settle = async (handler: DueHandler, item: DueItem, end: OccurrenceEnd) => {
    const nextDueAt = end.next?.dueAt;
    if (nextDueAt !== undefined && item.dueAt !== undefined && nextDueAt <= item.dueAt) {
      const waitMs = holds.fail(item);
      log.error(`The next time of ${item.source} ${item.id} does not come after this one; put off`, { waitMs });
      return;
    }
    const settled = await due.settle(item, end);
    holds.release(item);
    if (!settled) return;
    try {
      handler.settled?.(item, end, settled.accepted);
    } catch (error) {
      log.error(`The end of ${item.source} ${item.id} is on disk, but could not be told of`, { error });
    }
  };
  let heldSinceMs = 0;
  const breathe = async () => {
    if (clock.monotonic() - heldSinceMs < longestHoldMs) return;
    await clock.sleep(0);
    heldSinceMs = clock.monotonic();
  };
  const startLane = (source: DueSource, handler: DueHandler, items: DueItem[]) => {
    const run = async () => {
      for (const item of items) {
        if (stopped) break;
        await serve(handler, item);
        await breathe();
      }
      look();
      lanes.delete(source);
    };
    lanes.set(source, run());
  };

  /** Due now, by source; nothing of sources that are at work, and nobody who must wait. */
  const gather = async (now: number) => {
    const found = new Map<DueSource, DueItem[]>();
    const seen = new Set<DueItem>();
    let taken = 0;
    let page = await due.due(now);
    for (; page.length > 0 && taken < mostPerLook; page = await due.due(now, page.at(-1))) {
      for (const item of page) {
        seen.add(item);
        if (!handlers.has(item.source) || lanes.has(item.source) || holds.isHeld(item)) continue;
        taken++;
        const items = found.get(item.source);
        if (items) items.push(item);
        else found.set(item.source, [item]);
      }
    }
    if (page.length === 0) holds.keepOnly(seen);
    return found;
  };
  const lookOnce = async () => {
    if (await wall.look(handlers)) holds.releaseAll();
    const now = clock.now();
    const found = await gather(now);
    if (stopped) return;
    for (const [source, items] of found) {
      const handler = handlers.get(source);
      if (handler) startLane(source, handler, items);
    }
    const nextDueAt = await due.nextDueAt(now);
    arm(Math.min(longestSleepMs, holds.nextMs(), nextDueAt === undefined ? longestSleepMs : nextDueAt - clock.now()));
  };
  const arm = (waitMs: number) => {
    cancelTimer();
    // Timers may come a moment early: the smallest wait keeps that from becoming a tight loop.
    if (!stopped) cancelTimer = clock.after(Math.max(1, waitMs), look);
  };
  const look = () => {
    if (stopped) return;
    if (!looking && lanes.size === 0) heldSinceMs = clock.monotonic();
    mustLook = true;
    looking ??= lookUntilDone();
  };
  const lookUntilDone = async () => {
    while (mustLook && !stopped) {
      mustLook = false;
      await lookOnce().catch((error: unknown) => {
        log.error("The clock cannot be read; trying again", { error });
        arm(retryMs);
      });
    }
    looking = undefined;
  };
  const untilQuiet = async () => {
    while (looking || lanes.size > 0) await Promise.all([looking, ...lanes.values()]);
  };

  return {
    register(source, handler) {
      handlers.set(source, handler);
    },
    async start() {
      stopped = false;
      look();
      await untilQuiet();
    },
    wake() {
      holds.wake();
      look();
    },
    async stop() {
      stopped = true;
      cancelTimer();
      await untilQuiet();
      // A look that was under way may have set it again.
      cancelTimer();
      await wall.save();
    },
  };
}
