/** Whether a schedule can be taken: said at once and in words, not when its time should have come. */
import { ToolError } from "../../base/errors.ts";
import type { CronSchedule } from "../../contracts/cron.ts";
import { endOfTimeMs, nextTimeOf } from "./times.ts";

const shortestEveryMs = 1000;

/**
 * Throws a coded error that names what is wrong and the fix: `SCHEDULE_INVALID`, `SCHEDULE_IN_THE_PAST`,
 * `CRON_EXPRESSION_INVALID`, `CRON_NEVER_FIRES`, `TIME_ZONE_UNKNOWN`.
 */
export function checkSchedule(schedule: CronSchedule, nowMs: number): void {
  if (schedule.kind === "at") checkAt(schedule.atMs, nowMs);
  else if (schedule.kind === "every") checkEvery(schedule);
  else if (nextTimeOf(schedule, nowMs, nowMs) === undefined) {
    throw new ToolError("CRON_NEVER_FIRES", `"${schedule.expr}" never comes: no day is like that`, {
      hint: 'Look at day-of-month, month and day-of-week together. The last day of a month is "L": "0 9 L * *".',
    });
  }
}

function checkAt(atMs: number, nowMs: number): void {
  if (!Number.isInteger(atMs) || Math.abs(atMs) > endOfTimeMs) {
    throw invalid(`${atMs} is no time`, "Give whole milliseconds since 1970.");
  }
  if (atMs > nowMs) return;
  throw new ToolError("SCHEDULE_IN_THE_PAST", `${new Date(atMs).toISOString()} is in the past`, {
    hint: `It is ${new Date(nowMs).toISOString()} now.`,
  });
}

function checkEvery({ everyMs, anchorMs }: Extract<CronSchedule, { kind: "every" }>): void {
  if (!Number.isInteger(everyMs) || everyMs < shortestEveryMs || everyMs > endOfTimeMs) {
    throw invalid(
      `Every ${everyMs} milliseconds is too often, too seldom, or no number`,
      "Give a second (1000) or more.",
    );
  }
  if (anchorMs !== undefined && (!Number.isInteger(anchorMs) || Math.abs(anchorMs) > endOfTimeMs)) {
    throw invalid(`${anchorMs} is no time to count from`, "Give whole milliseconds since 1970, or leave it out.");
  }
}

const invalid = (message: string, hint: string) => new ToolError("SCHEDULE_INVALID", message, { hint });
