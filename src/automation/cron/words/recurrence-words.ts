/** What comes again and again, in words: `every weekday 9:00`, `every 15 minutes`, `every month on the 1st at 8:00`. */
import { type DayTime, parseCount, parseDay, parseDayTime, parseMonth, parseSpan, parseUnit } from "./clock-words.ts";

export type Recurrence =
  | { type: "every"; everyMs: number }
  | { type: "cron"; expr: string }
  /** Meant as one, but it cannot be had. */
  | { type: "refused"; why: string };

/** Undefined: these are no words for it. `text`: lower case, single spaces, a space behind commas. */
export function parseRecurrence(text: string): Recurrence | undefined {
  const every = /^(?:every|each) (.+)$/.exec(text)?.[1];
  const adverb = /^(?:(hourly)|(?:daily|weekdays|weekends)(?: .+)?)$/.exec(text);
  const onDays = /^on (?=[a-z]+s\b)(.+)$/.exec(text)?.[1];
  if (adverb?.[1]) return { type: "every", everyMs: 3600_000 };
  if (every !== undefined) return parseSpanAgain(every) ?? parseDates(every) ?? parseDays(every);
  const ofMonth = /^on the (.+?) of (?:every|each) month(.*)$/.exec(text);
  if (ofMonth) return parseDates(`month on the ${ofMonth[1]}${ofMonth[2]}`);
  if (adverb) return parseDays(text);
  return onDays === undefined ? undefined : parseDays(onDays);
}

function parseSpanAgain(text: string): Recurrence | undefined {
  // "every day" and "every week" alone do not say when; "every 2 days" counts from now.
  const unitMs = ["second", "minute", "hour"].includes(text) ? parseUnit(text) : undefined;
  const spanMs =
    unitMs ??
    (/^(\d|half|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)/.test(text) ? parseSpan(text) : undefined);
  return spanMs === undefined ? undefined : { type: "every", everyMs: spanMs };
}

/** Days of the week, or all of them. */
function parseDays(text: string): Recurrence | undefined {
  const { head, times, why } = splitTimes(text);
  if (why !== undefined) return { type: "refused", why };
  const days = toDayField(head.replace(/^week on /, ""));
  if (days === undefined) return undefined;
  return toCron(times, "*", "*", days);
}

/** Days of the month, of every month or of one. */
function parseDates(text: string): Recurrence | undefined {
  const [, unit, rest] = /^(month|year) on (.+)$/.exec(text) ?? [];
  if (unit === undefined || rest === undefined) return undefined;
  const { head, times, why } = splitTimes(rest);
  if (why !== undefined) return { type: "refused", why };
  if (unit === "year") {
    const date = parseYearDay(head);
    return date && toCron(times, String(date.day), String(date.month), "*");
  }
  const days = splitList(head.replace(/^the /, "")).map((each) => parseMonthDay(each.replace(/^the /, "")));
  if (days.length === 0 || days.some((day) => day === undefined)) return undefined;
  return toCron(times, days.join(","), "*", "*");
}

/** `monday and thursday at 18:30` → days and times. */
function splitTimes(text: string): { head: string; times: DayTime[]; why?: string } {
  const [, atHead, atTimes] = /^(.+?) at (.+)$/.exec(text) ?? [];
  // Without "at" the time is the last word, or the last two: "9:00", "7 am".
  const [, bareHead, bareTime] = /^(.+?) (\d{1,2}(?::\d{2})?(?: ?[ap]m)?|noon|midnight)$/.exec(text) ?? [];
  const head = atHead ?? bareHead;
  const timeText = atTimes ?? bareTime;
  if (head === undefined || timeText === undefined) {
    return { head: text, times: [], ...(toDayField(text) !== undefined && { why: "it does not say at what time" }) };
  }
  const times = splitList(timeText).map(parseDayTime);
  const known = times.flatMap((time) => time ?? []);
  if (known.length === 0 || known.length < times.length) return { head: "", times: [] };
  const minutes = new Set(known.map(({ minute }) => minute));
  if (minutes.size > 1)
    return { head, times: known, why: "several times a day must have the same minute; make two jobs" };
  return { head, times: known };
}

const splitList = (text: string): string[] => text.split(/, and |, | and /);

/** As cron writes it. */
function toDayField(text: string): string | undefined {
  if (text === "day" || text === "daily") return "*";
  if (/^weekdays?$/.test(text)) return "1-5";
  if (/^weekends?$/.test(text)) return "0,6";
  const days = splitList(text).map(parseDay);
  const known = days.flatMap((day) => day ?? []);
  if (known.length === 0 || known.length < days.length) return undefined;
  return [...new Set(known)].toSorted((a, b) => a - b).join(",");
}

/** `1st`, `15`, `last day`. */
function parseMonthDay(text: string): string | undefined {
  if (text === "last" || text === "last day") return "L";
  const [, digits] = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(text) ?? [];
  const day = digits === undefined ? undefined : parseCount(digits);
  return day === undefined || day < 1 || day > 31 ? undefined : String(day);
}

/** `march 1st`, `1 march`, `the 24th of december`. */
function parseYearDay(text: string): { day: number; month: number } | undefined {
  const [, dayFirst, monthLast] = /^(?:the )?(\d{1,2})(?:st|nd|rd|th)?(?: of)? ([a-z]+)$/.exec(text) ?? [];
  const [, monthFirst, dayLast] = /^([a-z]+) (\d{1,2})(?:st|nd|rd|th)?$/.exec(text) ?? [];
  const month = parseMonth(monthLast ?? monthFirst ?? "");
  const day = Number(dayFirst ?? dayLast ?? Number.NaN);
  if (month === undefined || !(day >= 1 && day <= 31)) return undefined;
  // 2028 is a leap year: the 29th of February is a day, if a rare one.
  return new Date(Date.UTC(2028, month - 1, day)).getUTCMonth() === month - 1 ? { day, month } : undefined;
}

function toCron(times: readonly DayTime[], dates: string, months: string, days: string): Recurrence | undefined {
  const [first] = times;
  if (!first) return undefined;
  const hours = [...new Set(times.map(({ hour }) => hour))].toSorted((a, b) => a - b);
  return { type: "cron", expr: `${first.minute} ${hours.join(",")} ${dates} ${months} ${days}` };
}
