/** A time of the day in words: `9`, `9:00`, `7am`, `6:30 pm`, `nine`, `noon`. */
export interface DayTime {
  hour: number;
  minute: number;
}

const numberWords = [
  "one",
  "two",
  "three",
  "four",
  "five",
  "six",
  "seven",
  "eight",
  "nine",
  "ten",
  "eleven",
  "twelve",
] as const;

/** Undefined for whatever is not wholly one. `text`: lower case, single spaces. */
export function parseDayTime(text: string): DayTime | undefined {
  if (text === "noon") return { hour: 12, minute: 0 };
  if (text === "midnight") return { hour: 0, minute: 0 };
  const [, hourText, minuteText, half] = /^(\d{1,2}|[a-z]+?)(?::(\d{2}))?(?: ?(am|pm|o'clock))?$/.exec(text) ?? [];
  if (hourText === undefined) return undefined;
  const hour = parseCount(hourText);
  const minute = Number(minuteText ?? 0);
  if (hour === undefined || minute > 59) return undefined;
  if (half === "am" || half === "pm") {
    return hour < 1 || hour > 12 ? undefined : { hour: (hour % 12) + (half === "pm" ? 12 : 0), minute };
  }
  return hour > 23 ? undefined : { hour, minute };
}

/** Digits, or a word up to twelve. */
export function parseCount(text: string): number | undefined {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  if (text === "a" || text === "an") return 1;
  const at = (numberWords as readonly string[]).indexOf(text);
  return at === -1 ? undefined : at + 1;
}

/** In the order of cron's numbers. */
export const dayNames = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"] as const;

/** `monday`, `mondays`, `mon`. */
export function parseDay(text: string): number | undefined {
  const at = dayNames.findIndex((name) => text === name || text === `${name}s` || text === name.slice(0, 3));
  return at === -1 ? undefined : at;
}

export const monthNames = [
  "january",
  "february",
  "march",
  "april",
  "may",
  "june",
  "july",
  "august",
  "september",
  "october",
  "november",
  "december",
] as const;

/** 1 to 12. */
export function parseMonth(text: string): number | undefined {
  const at = monthNames.findIndex((name) => text === name || text === name.slice(0, 3));
  return at === -1 ? undefined : at + 1;
}

const spans = { second: 1000, minute: 60_000, hour: 3600_000, day: 86_400_000, week: 604_800_000 } as const;
const shortUnits: Record<string, keyof typeof spans> = {
  s: "second",
  sec: "second",
  secs: "second",
  m: "minute",
  min: "minute",
  mins: "minute",
  h: "hour",
  hr: "hour",
  hrs: "hour",
};

/** `2 hours`, `1 hour and 30 minutes`, `an hour`, `half an hour`, `90s`. Milliseconds. */
export function parseSpan(text: string): number | undefined {
  if (text === "half an hour") return spans.hour / 2;
  let totalMs = 0;
  let smallest = Number.POSITIVE_INFINITY;
  for (const part of text.split(/ and |, | (?=\d)/)) {
    const [, countText, unitText] = /^(\d+|[a-z]+) ?([a-z]+)$/.exec(part) ?? /^(\d+)([a-z]+)$/.exec(part) ?? [];
    const count = parseCount(countText ?? "");
    const unitMs = parseUnit(unitText ?? "");
    // Each unit once, the big ones first: anything else is more likely a slip.
    if (count === undefined || count < 1 || unitMs === undefined || unitMs >= smallest) return undefined;
    smallest = unitMs;
    totalMs += count * unitMs;
  }
  return Number.isSafeInteger(totalMs) ? totalMs : undefined;
}

export function parseUnit(text: string): number | undefined {
  const short = Object.hasOwn(shortUnits, text) ? shortUnits[text] : undefined;
  const name = short ?? text.replace(/s$/, "");
  return Object.hasOwn(spans, name) ? spans[name as keyof typeof spans] : undefined;
}
