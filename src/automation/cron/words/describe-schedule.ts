/** A schedule said back to people: in words where there are some, and always with its next runs. */
import type { CronSchedule } from "../../../contracts/cron.ts";
import { createTimeZone, type TimeZone } from "../../recurrence/time-zone.ts";
import { createTimes } from "../../recurrence/times.ts";
import { dayNames, monthNames } from "./clock-words.ts";

export interface DescribeContext {
  nowMs: number;
  createdAtMs: number;
  /** For times that have no zone of their own. Absent: the zone of mom's machine. */
  timeZone?: string;
}

const runsShown = 3;

/** `every weekday at 09:00 (Europe/Vienna); next: Wed 2026-11-18 09:00, …`. */
export function describeSchedule(schedule: CronSchedule, { nowMs, createdAtMs, timeZone }: DescribeContext): string {
  const zone = createTimeZone((schedule.kind === "cron" ? schedule.tz : undefined) ?? timeZone);
  const words = `${toWords(schedule, zone)} (${zone.name})`;
  if (schedule.kind === "at") return words;
  const times = createTimes(schedule, createdAtMs);
  const next: number[] = [];
  for (let at = times.next(nowMs); at !== undefined && next.length < runsShown; at = times.next(at)) next.push(at);
  return `${words}; ${next.length === 0 ? "no further run" : `next: ${next.map((at) => formatIn(zone, at)).join(", ")}`}`;
}

/** `Wed 2026-11-18 09:00`, with the seconds where there are any. */
export function formatIn(zone: TimeZone, atMs: number): string {
  const at = new Date(zone.toWall(atMs));
  const day = (dayNames[at.getUTCDay()] ?? "").slice(0, 3);
  const iso = at.toISOString();
  const time = iso.slice(11, at.getUTCSeconds() === 0 ? 16 : 19);
  return `${day.charAt(0).toUpperCase()}${day.slice(1)} ${iso.slice(0, 10)} ${time}`;
}

function toWords(schedule: CronSchedule, zone: TimeZone): string {
  if (schedule.kind === "at") return `once, ${formatIn(zone, schedule.atMs)}`;
  if (schedule.kind === "every") return `every ${formatSpan(schedule.everyMs)}`;
  return describeExpression(schedule.expr) ?? `by the cron expression "${schedule.expr}"`;
}

const units = [
  ["week", 604_800_000],
  ["day", 86_400_000],
  ["hour", 3600_000],
  ["minute", 60_000],
  ["second", 1000],
] as const;

function formatSpan(ms: number): string {
  const [name, size] = units.find(([, unit]) => ms % unit === 0) ?? ["millisecond", 1];
  return ms === size ? name : `${ms / size} ${name}s`;
}

/** The shapes that people use. Undefined: another one. */
function describeExpression(expr: string): string | undefined {
  const [minute = "", hours = "", dates = "", months = "", days = "", ...more] = expr.trim().split(/\s+/);
  if (more.length > 0 || !/^\d{1,2}$/.test(minute) || !/^\d{1,2}(,\d{1,2})*$/.test(hours)) return undefined;
  const times = joinWords(hours.split(",").map((hour) => `${two(hour)}:${two(minute)}`));
  const which = describeDays(dates, months, days);
  return which === undefined ? undefined : `every ${which} at ${times}`;
}

function describeDays(dates: string, months: string, days: string): string | undefined {
  if (months === "*" && dates === "*") return describeWeek(days);
  if (days !== "*") return undefined;
  if (months === "*") {
    const known = dates
      .split(",")
      .map((date) => (date === "L" ? "last day" : /^\d{1,2}$/.test(date) ? toOrdinal(Number(date)) : ""));
    return known.includes("") ? undefined : `month on the ${joinWords(known)}`;
  }
  const month = /^\d{1,2}$/.test(months) ? monthNames[Number(months) - 1] : undefined;
  return month === undefined || !/^\d{1,2}$/.test(dates) ? undefined : `year on ${Number(dates)} ${capital(month)}`;
}

function describeWeek(days: string): string | undefined {
  if (days === "*") return "day";
  if (days === "1-5") return "weekday";
  if (days === "0,6" || days === "6,0") return "weekend";
  if (!/^[0-7](,[0-7])*$/.test(days)) return undefined;
  return joinWords(days.split(",").map((day) => capital(dayNames[Number(day) % 7] ?? "")));
}

const two = (part: string) => part.padStart(2, "0");
const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
const joinWords = (words: readonly string[]) =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;

function toOrdinal(day: number): string {
  const teen = day >= 11 && day <= 13;
  const ending = teen ? "th" : (["th", "st", "nd", "rd"][day % 10] ?? "th");
  return `${day}${ending}`;
}
