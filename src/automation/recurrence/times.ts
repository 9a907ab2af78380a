/** When a schedule is due: at a time, every so often, or by a cron expression. */
import type { CronSchedule } from "../../contracts/cron.ts";
import { createCronTimes, type Times } from "./cron-times.ts";

/** The last instant that a `Date` can hold. */
export const endOfTimeMs = 8.64e15;

/** For several questions about one schedule: what it says is read once. Throws as `checkSchedule` does for what cannot be read. */
export function createTimes(schedule: CronSchedule, createdAtMs: number): Times {
  if (schedule.kind === "cron") return createCronTimes(schedule.expr, schedule.tz);
  if (schedule.kind === "at") {
    const { atMs } = schedule;
    return { next: (afterMs) => (atMs > afterMs ? atMs : undefined) };
  }
  const { everyMs, anchorMs } = schedule;
  return { next: (afterMs) => nextEvery(everyMs, anchorMs, createdAtMs, afterMs) };
}

/** Real time: no change of the wall's clock touches it. */
function nextEvery(everyMs: number, anchorMs: number | undefined, createdAtMs: number, afterMs: number) {
  if (anchorMs !== undefined && afterMs < anchorMs) return anchorMs;
  // When it was made only says where the beats lie: with a clock that was turned back since, that is ahead.
  const origin = anchorMs ?? createdAtMs;
  const atMs = origin + (Math.floor((afterMs - origin) / everyMs) + 1) * everyMs;
  return atMs <= endOfTimeMs ? atMs : undefined;
}

/** The first time after `afterMs`. Undefined: there is none any more. `createdAtMs`: what `every` without an anchor is counted from. */
export function nextTimeOf(schedule: CronSchedule, afterMs: number, createdAtMs: number): number | undefined {
  return createTimes(schedule, createdAtMs).next(afterMs);
}

/** Times later than `fromMs` and not later than `toMs`, soonest first; at most `limit`. */
export function listTimes(
  schedule: CronSchedule,
  fromMs: number,
  toMs: number,
  limit: number,
  createdAtMs: number,
): number[] {
  const times = createTimes(schedule, createdAtMs);
  const found: number[] = [];
  for (let at = times.next(fromMs); at !== undefined && at <= toMs && found.length < limit; at = times.next(at)) {
    found.push(at);
  }
  return found;
}
