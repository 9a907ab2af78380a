/** Times as people write them: "in 10 minutes", "at 17:30", "tomorrow at 9am", "on friday at noon". */

export type When =
  | { type: "in"; seconds: number }
  | {
      type: "at";
      /** Absent: the next time that the clock shows it. */
      day?: "today" | "tomorrow" | { weekday: number } | { date: string };
      hour: number;
      minute: number;
    };

export interface FoundTime {
  when: When;
  /** The text with the time taken out. */
  rest: string;
}

/** By the first letter of the unit. */
const unitSeconds: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };
const weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

const unit = "(?:seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|w)";
// A word is set apart from its unit, or "and" would read as "an d(ay)".
const amount = `(?:(?:\\d+(?:\\.\\d+)?\\s*|(?:half an?|an?|one|two|three|four|five|ten)\\s+)${unit}\\b)`;
const inPattern = new RegExp(`\\bin\\s+(${amount}(?:\\s*(?:,|and)?\\s*${amount})*)`, "i");
const clock = "(?:(\\d{1,2})(?:[:.](\\d{2}))?\\s*([ap]\\.?m\\.?)?|(noon|midnight))(?:\\s*o'?clock)?";
const clockPattern = new RegExp(`\\b(?:at|for|by)\\s+${clock}(?![\\w:])`, "i");
const dayPattern = new RegExp(
  `\\b(?:(today|tonight|tomorrow)(?:\\s+(morning|evening|afternoon|night))?|(?:on|next|this)\\s+(${weekdays.join("|")})|on\\s+(\\d{4}-\\d{2}-\\d{2}))\\b`,
  "i",
);
const wordNumbers: Record<string, number> = { a: 1, an: 1, one: 1, two: 2, three: 3, four: 4, five: 5, ten: 10 };
const partHours: Record<string, number> = { morning: 9, afternoon: 15, evening: 19, night: 21 };

/** The first time in the text; undefined when there is none. */
export function findTime(text: string): FoundTime | undefined {
  const span = inPattern.exec(text);
  if (span?.[1] !== undefined) return { when: { type: "in", seconds: parseSpan(span[1]) }, rest: cut(text, span) };
  const day = dayPattern.exec(text);
  const withoutDay = day === null ? text : cut(text, day);
  const hour = clockPattern.exec(withoutDay);
  if (day === null && hour === null) return undefined;
  const time = hour === null ? { hour: pickHour(day), minute: 0 } : parseClock(hour);
  if (time.hour > 23 || time.minute > 59) return undefined;
  const found = parseDay(day);
  const when: When = { type: "at", ...time, ...(found === undefined ? {} : { day: found }) };
  return { when, rest: hour === null ? withoutDay : cut(withoutDay, hour) };
}

const everyDay = `(?:day|weekday|weekend|(?:${weekdays.join("|")})(?:(?:\\s*,\\s*|\\s+and\\s+)(?:${weekdays.join("|")}))*)`;
const hourWords = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve";
const everyPattern = new RegExp(
  `\\bevery\\s+(?:${everyDay}\\s+(?:at\\s+)?(?:\\d{1,2}(?::\\d{2})?(?:\\s*[ap]m)?|noon|midnight|${hourWords})|(?:(?:\\d+|${hourWords})\\s+)?(?:minutes?|hours?)|\\d+\\s+days?)\\b`,
  "i",
);

/** "every weekday at nine", "every 15 minutes": the words, for a tool that reads them, and the text without them. */
export function findEvery(text: string): { every: string; rest: string } | undefined {
  const found = everyPattern.exec(text);
  if (found === null) return undefined;
  return { every: found[0].toLowerCase().replaceAll(/\s+/g, " "), rest: cut(text, found) };
}

/** Milliseconds since the epoch; undefined when the time asked for is over. */
export function toInstant(when: When, now: { ms: number; zone: string }): number | undefined {
  if (when.type === "in") return now.ms + when.seconds * 1000;
  const today = toWallTime(now.ms, now.zone);
  const on = (daysAhead: number) =>
    fromWallTime(Date.UTC(today.year, today.month - 1, today.day + daysAhead, when.hour, when.minute), now.zone);
  const { day } = when;
  if (day === undefined) return on(0) > now.ms ? on(0) : on(1);
  if (day === "tomorrow") return on(1);
  if (day === "today") return on(0) > now.ms ? on(0) : undefined;
  if ("weekday" in day) {
    const ahead = (day.weekday - today.weekday + 7) % 7;
    return on(ahead) > now.ms ? on(ahead) : on(ahead + 7);
  }
  const at = fromWallTime(Date.parse(day.date) + (when.hour * 60 + when.minute) * 60_000, now.zone);
  return at > now.ms ? at : undefined;
}

/** `2026-01-31 17:30` as the clock on the wall shows it. */
export function formatLocal(ms: number, zone: string): string {
  const { year, month, day, hour, minute } = toWallTime(ms, zone);
  const two = (n: number) => String(n).padStart(2, "0");
  return `${year}-${two(month)}-${two(day)} ${two(hour)}:${two(minute)}`;
}

function parseSpan(text: string): number {
  let seconds = 0;
  for (const [part] of text.matchAll(new RegExp(amount, "gi"))) {
    const [word = "", name = ""] = part.toLowerCase().match(/^(?:[\d.]+|half an?|[a-z]+)|[a-z]+$/g) ?? [];
    const factor = word.startsWith("half") ? 0.5 : (wordNumbers[word] ?? Number(word));
    seconds += factor * (unitSeconds[name.charAt(0)] ?? 0);
  }
  return Math.round(seconds);
}

function parseClock(match: RegExpExecArray): { hour: number; minute: number } {
  const [, digits, minutes, half, word] = match;
  if (word !== undefined) return { hour: word.toLowerCase() === "noon" ? 12 : 0, minute: 0 };
  const hour = Number(digits);
  const minute = Number(minutes ?? 0);
  if (half === undefined) return { hour, minute };
  return { hour: (hour % 12) + (half.toLowerCase().startsWith("p") ? 12 : 0), minute };
}

function parseDay(
  match: RegExpExecArray | null,
): "today" | "tomorrow" | { weekday: number } | { date: string } | undefined {
  const [, relative, , weekday, date] = match ?? [];
  if (relative !== undefined) return relative.toLowerCase() === "tomorrow" ? "tomorrow" : "today";
  if (weekday !== undefined) return { weekday: weekdays.indexOf(weekday.toLowerCase()) };
  return date === undefined ? undefined : { date };
}

/** A day without a time: the part of the day that was named, else the morning. */
function pickHour(day: RegExpExecArray | null): number {
  if (day?.[1]?.toLowerCase() === "tonight") return 20;
  return partHours[day?.[2]?.toLowerCase() ?? "morning"] ?? 9;
}

function cut(text: string, match: RegExpExecArray): string {
  return `${text.slice(0, match.index)} ${text.slice(match.index + match[0].length)}`.replaceAll(/\s+/g, " ").trim();
}

function toWallTime(ms: number, zone: string) {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: knownZone(zone),
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(ms);
  const get = (type: string) => Number(parts.find((part) => part.type === type)?.value ?? 0);
  const [year, month, day] = [get("year"), get("month"), get("day")];
  const weekday = new Date(Date.UTC(year, month - 1, day)).getUTCDay();
  return { year, month, day, weekday, hour: get("hour"), minute: get("minute"), second: get("second") };
}

/** `wallMs`: the time on the wall, read as if it were UTC. Twice, because the first guess may lie across a clock change. */
function fromWallTime(wallMs: number, zone: string): number {
  const offsetAt = (ms: number) => {
    const wall = toWallTime(ms, zone);
    const shown = Date.UTC(wall.year, wall.month - 1, wall.day, wall.hour, wall.minute, wall.second);
    return shown - Math.floor(ms / 1000) * 1000;
  };
  const guess = wallMs - offsetAt(wallMs);
  return wallMs - offsetAt(guess);
}

function knownZone(zone: string): string {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    return "UTC";
  }
}
