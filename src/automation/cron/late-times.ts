/** Due times that went by: which of them was the last, and what the ledger is told of the others. */
import type { CronSchedule } from "../../contracts/cron.ts";
import { createTimes, listTimes } from "../recurrence/times.ts";

/** Rows that one gap may fill in the ledger. */
const mostRows = 100;
/** How far they are counted beyond that. */
const mostCounted = 1000;

type Timed = { schedule: CronSchedule; createdAtMs: number };

/**
 * The last due time up to now, `dueAt` if there was none after it. By halving: cheap, also for a job of every second after a
 * year.
 */
export function findLatestTime({ schedule, createdAtMs }: Timed, dueAt: number, nowMs: number): number {
  if (schedule.kind === "at") return dueAt;
  const times = createTimes(schedule, createdAtMs);
  const isDueAfter = (time: number) => (times.next(time) ?? Number.POSITIVE_INFINITY) <= nowMs;
  if (!isDueAfter(dueAt)) return dueAt;
  let low = dueAt;
  let high = nowMs;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isDueAfter(middle)) low = middle;
    else high = middle;
  }
  return times.next(low) ?? dueAt;
}

/** Rows for the due times behind `from` and before `to`; the last one says how many more there were. */
export function listMissed(
  { schedule, createdAtMs }: Timed,
  from: number,
  to: number,
  reason: string,
): { dueAt: number; reason: string }[] {
  // `from` and `to` themselves have rows of their own.
  const times = listTimes(schedule, from, to - 1, mostCounted, createdAtMs);
  const rows = times.slice(0, mostRows - 1).map((dueAt) => ({ dueAt, reason }));
  const last = rows.at(-1);
  const more = times.length - rows.length;
  if (last && more > 0) {
    const atLeast = times.length === mostCounted ? "at least " : "";
    last.reason = `${reason}; ${atLeast}${more} more up to ${new Date(to).toISOString()} are not listed`;
  }
  return rows;
}
