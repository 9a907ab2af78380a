/** When a reminder is due: an absolute time that says its offset, or a number of seconds from now. */
import { ToolError } from "../../base/errors.ts";

/** Without an offset a time means something else on every machine. */
const isoWithOffset = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:?\d{2})$/;
const farthestMs = 10 * 366 * 24 * 3600 * 1000;

/** Milliseconds since the epoch. Exactly one of the two must be given. */
export function parseDue(when: { at?: string; in?: number }, nowMs: number): number {
  if ((when.at === undefined) === (when.in === undefined)) {
    throw new ToolError("CRON_WHEN_MISSING", `Give either "at" or "in" to say when`, {
      hint: `For example "in": 3600, or "at": "${new Date(nowMs + 3600_000).toISOString()}".`,
    });
  }
  const dueAt = when.at === undefined ? nowMs + (when.in ?? 0) * 1000 : parseTime(when.at, nowMs);
  if (dueAt <= nowMs || dueAt > nowMs + farthestMs) {
    // A number of seconds may lead beyond all dates.
    const isPast = dueAt <= nowMs;
    throw new ToolError(
      "CRON_WHEN_OUT_OF_RANGE",
      `That time is ${isPast ? "in the past" : "more than ten years away"}`,
      {
        hint: `It is now ${new Date(nowMs).toISOString()}.`,
      },
    );
  }
  return dueAt;
}

function parseTime(text: string, nowMs: number): number {
  const parsed = isoWithOffset.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isFinite(parsed)) return parsed;
  throw new ToolError("CRON_WHEN_INVALID", `"${text}" is not an ISO 8601 time with an offset`, {
    hint: `Write it like ${new Date(nowMs).toISOString()} or 2030-01-31T09:00:00+01:00.`,
  });
}
