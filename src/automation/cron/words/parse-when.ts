/**
 * When a job is due, in plain words, as an ISO time or as a cron expression. Strict: whatever is not understood to the last word
 * is refused with examples, because a job that runs at another time than was meant is worse than none.
 */
import { ToolError } from "../../../base/errors.ts";
import type { CronSchedule } from "../../../contracts/cron.ts";
import { createTimeZone, type TimeZone } from "../../recurrence/time-zone.ts";
import { type DayTime, parseDay, parseDayTime, parseSpan } from "./clock-words.ts";
import { parseRecurrence } from "./recurrence-words.ts";

export interface WhenContext {
  nowMs: number;
  /** IANA name, for words that name none. Absent: the zone of mom's machine. */
  timeZone?: string;
}

const maxChars = 200;
const farthestMs = 10 * 366 * 24 * 3600 * 1000;
/** Without an offset a time means something else on every machine. */
const isoWithOffset = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:?\d{2})$/i;
const cronExpression = /^(?:@[a-z]+|[\d*][\d*/,\-LW#?]*(?: [\d*?a-z][\da-z*/,\-LW#?]*){4,5})$/i;

/** Throws `CRON_WHEN_INVALID`, `CRON_WHEN_OUT_OF_RANGE` and `TIME_ZONE_UNKNOWN`. */
export function parseWhen(text: string, { nowMs, timeZone }: WhenContext): CronSchedule {
  const plain = text.trim().replace(/\s+/g, " ").replace(/\.$/, "");
  if (plain === "" || plain.length > maxChars) throw notUnderstood(text);
  if (isoWithOffset.test(plain)) return toAt(Date.parse(plain), nowMs, text);
  const { words, zoneName } = splitZone(plain);
  const zone = createTimeZone(zoneName ?? timeZone);
  // Written down also where it is the machine's own: what was shown back is what is kept, wherever mom runs later.
  const tz = { tz: toProperName(zone.name) };
  if (cronExpression.test(words)) return { kind: "cron", expr: words, ...tz };
  const lower = words.toLowerCase().replaceAll(",", ", ").replace(/\s+/g, " ").replaceAll(" ,", ",");
  const recurrence = parseRecurrence(lower);
  if (recurrence?.type === "refused") throw notUnderstood(text, recurrence.why);
  if (recurrence?.type === "every") {
    // Spans of real time are the same in every zone.
    if (zoneName !== undefined) throw notUnderstood(text, "a span like this is the same in every time zone");
    return { kind: "every", everyMs: recurrence.everyMs };
  }
  if (recurrence?.type === "cron") return { kind: "cron", expr: recurrence.expr, ...tz };
  const once = parseOnce(lower, nowMs, zone, zoneName !== undefined);
  if (once === undefined) throw notUnderstood(text);
  if (typeof once === "string") throw notUnderstood(text, once);
  return toAt(once, nowMs, text);
}

function splitZone(text: string): { words: string; zoneName?: string } {
  const [, words, zoneName] = /^(.+?)(?: in)? ([a-z_]+(?:\/[a-z0-9_+-]+)+|utc|gmt)$/i.exec(text) ?? [];
  return words === undefined || zoneName === undefined ? { words: text } : { words, zoneName };
}

const toProperName = (name: string) => new Intl.DateTimeFormat("en-US", { timeZone: name }).resolvedOptions().timeZone;

function toAt(atMs: number, nowMs: number, text: string): CronSchedule {
  if (!Number.isFinite(atMs)) throw notUnderstood(text);
  if (atMs > nowMs && atMs <= nowMs + farthestMs) return { kind: "at", atMs };
  const isPast = atMs <= nowMs;
  throw new ToolError("CRON_WHEN_OUT_OF_RANGE", `That time is ${isPast ? "in the past" : "more than ten years away"}`, {
    hint: `It is now ${new Date(nowMs).toISOString()}.`,
  });
}

/** Milliseconds since the epoch; or why not; undefined: these are no words for one time. */
function parseOnce(text: string, nowMs: number, zone: TimeZone, isZoneNamed: boolean): number | string | undefined {
  const span = /^in (.+)$/.exec(text)?.[1];
  if (span !== undefined) {
    const spanMs = parseSpan(span);
    if (spanMs !== undefined && isZoneNamed) return "a span like this is the same in every time zone";
    return spanMs === undefined ? undefined : nowMs + spanMs;
  }
  const wallNow = zone.toWall(nowMs);
  const [, timeOnly] = /^at (.+)$/.exec(text) ?? [];
  if (timeOnly !== undefined) {
    const time = parseDayTime(timeOnly);
    if (!time) return undefined;
    const today = toInstant(zone, startOfDay(wallNow), time);
    return typeof today === "number" && today > nowMs ? today : toInstant(zone, startOfDay(wallNow) + dayMs, time);
  }
  const [, dayText, timeText] = /^(?:on )?(today|tomorrow|[a-z]+|\d{4}-\d{2}-\d{2})(?: at|,)? (.+)$/.exec(text) ?? [];
  const time = parseDayTime(timeText ?? "");
  if (dayText === undefined || !time) return undefined;
  const day = findDay(dayText, wallNow, time, text.startsWith("on "));
  return day === undefined ? undefined : toInstant(zone, day, time);
}

const dayMs = 86_400_000;
const startOfDay = (wallMs: number) => Math.floor(wallMs / dayMs) * dayMs;

/** The wall's midnight of the day that is meant. */
function findDay(text: string, wallNow: number, { hour, minute }: DayTime, hasOn: boolean): number | undefined {
  const today = startOfDay(wallNow);
  if (text === "today") return today;
  if (text === "tomorrow") return today + dayMs;
  if (/^\d/.test(text)) {
    const parsed = Date.parse(`${text}T00:00:00Z`);
    // The 31st of a month that has none would become another day.
    return Number.isFinite(parsed) && new Date(parsed).toISOString().startsWith(text) ? parsed : undefined;
  }
  const day = parseDay(text);
  // "on monday" is the next one; "mondays" would be all of them.
  if (
    day === undefined ||
    !hasOn ||
    (/s$/.test(text) && text !== "wednesday" && parseDay(text.slice(0, -1)) !== undefined)
  )
    return undefined;
  const ahead = (day - new Date(today).getUTCDay() + 7) % 7;
  const isOver = ahead === 0 && wallNow >= today + (hour * 60 + minute) * 60_000;
  return today + (isOver ? 7 : ahead) * dayMs;
}

function toInstant(zone: TimeZone, dayWallMs: number, { hour, minute }: DayTime): number | string {
  const found = zone.toInstants(dayWallMs + (hour * 60 + minute) * 60_000);
  if (found.type === "gap") return `the clocks in ${zone.name} are put forward over that time`;
  return found.type === "twice" ? found.firstMs : found.atMs;
}

export const whenExamples = [
  "every weekday 9:00",
  "every monday and thursday at 18:30",
  "every day at 7am in Europe/Vienna",
  "every 15 minutes",
  "every month on the 1st at 8:00",
  "in 2 hours",
  "tomorrow at 9",
  "on 2027-01-31 at 09:00",
  "0 9 * * 1-5",
] as const;

function notUnderstood(text: string, why?: string): ToolError {
  const shown = text.trim().slice(0, 100).toWellFormed();
  return new ToolError(
    "CRON_WHEN_INVALID",
    shown === ""
      ? "No time is given"
      : `"${shown}" is not wholly understood as a time${why === undefined ? "" : `: ${why}`}`,
    { hint: `Write it like one of these: ${whenExamples.join(" · ")}.` },
  );
}
