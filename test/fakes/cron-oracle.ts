/**
 * When cron expressions are due, worked out another way than mom does: minute by minute through a year, with what Intl says of
 * each quarter of an hour, and a small matcher of its own. For tests that compare.
 */
const minuteMs = 60_000;
const quarterMs = 900_000;
const hourMs = 3_600_000;
const dayMinutes = 1440;

/** What the wall shows, minute by minute: minutes since 1970 as they are on the wall. */
export function buildWall(timeZone: string, fromMs: number, toMs: number): Int32Array {
  const format = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset", hour: "numeric" });
  const offsetAt = (at: number) => {
    const text = format.formatToParts(at).find(({ type }) => type === "timeZoneName")?.value ?? "";
    const [, sign, hours, minutes] = /^GMT(?:([+-])(\d\d):(\d\d))?$/.exec(text) ?? [];
    return (sign === "-" ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
  };
  const wall = new Int32Array((toMs - fromMs) / minuteMs);
  let next = offsetAt(fromMs);
  for (let hour = fromMs; hour < toMs; hour += hourMs) {
    const offset = next;
    next = offsetAt(hour + hourMs);
    // Zones change on a quarter of an hour.
    for (let at = hour; at < hour + hourMs; at += quarterMs) {
      const present = next === offset ? offset : offsetAt(at);
      for (let n = 0; n < 15; n++) wall[(at - fromMs) / minuteMs + n] = at / minuteMs + present + n;
    }
  }
  return wall;
}

/**
 * Due times in the span of `wall`. A time is due when the wall first shows it or jumps over it; with a `*` in minutes or hours,
 * whenever the wall shows it, and of what it jumps over only hours that were named.
 */
export function listDueTimes(expr: string, wall: Int32Array, fromMs: number): number[] {
  const { second, minute, hour, isDay } = parse(expr);
  const isFixed = !`${minute.text}${hour.text}`.includes("*");
  const isNamed = !hour.text.includes("*");
  const ofDay = Uint8Array.from({ length: dayMinutes }, (_, n) =>
    minute.has(n % 60) && hour.has(Math.floor(n / 60)) ? 1 : 0,
  );
  const firstDay = Math.floor((wall[0] ?? 0) / dayMinutes) - 1;
  const days = Uint8Array.from({ length: wall.length / dayMinutes + 4 }, (_, n) =>
    isDay(new Date((firstDay + n) * dayMinutes * minuteMs)) ? 1 : 0,
  );
  const isDue = (shown: number) =>
    ofDay[shown % dayMinutes] === 1 && days[Math.floor(shown / dayMinutes) - firstDay] === 1;
  const found: number[] = [];
  let furthest = (wall[0] ?? 0) - 1;
  for (let n = 0; n < wall.length; n++) {
    const at = fromMs + n * minuteMs;
    const shown = wall[n] ?? 0;
    let isJumped = false;
    for (let between = furthest + 1; between < shown; between++) isJumped ||= isNamed && isDue(between);
    if (isJumped) found.push(at);
    if (isDue(shown) && (!isFixed || shown > furthest)) found.push(at + second * 1000);
    furthest = Math.max(furthest, shown);
  }
  return [...new Set(found)];
}

interface Field {
  text: string;
  has(value: number): boolean;
}

function parse(expr: string) {
  const fields = expr.split(" ");
  const [second = "", minute = "", hour = "", dayOfMonth = "", month = "", dayOfWeek = ""] =
    fields.length === 5 ? ["0", ...fields] : fields;
  const months = parseField(month, "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC", 1);
  const monthDays = parseField(dayOfMonth.replace("L", "99"), "", 0);
  const weekDays = parseField(dayOfWeek, "SUN MON TUE WED THU FRI SAT", 0);
  return {
    second: Number(second),
    minute: parseField(minute, "", 0),
    hour: parseField(hour, "", 0),
    isDay(date: Date): boolean {
      if (!months.has(date.getUTCMonth() + 1)) return false;
      const isLast = new Date(date.getTime() + dayMinutes * minuteMs).getUTCDate() === 1;
      const byMonth = monthDays.has(date.getUTCDate()) || (isLast && monthDays.has(99));
      const byWeek = weekDays.has(date.getUTCDay()) || (date.getUTCDay() === 0 && weekDays.has(7));
      if (dayOfMonth === "*") return byWeek && byMonth;
      return dayOfWeek === "*" ? byMonth : byMonth || byWeek;
    },
  };
}

function parseField(text: string, names: string, firstName: number): Field {
  const numbers = names
    .split(" ")
    .reduce((all, name, n) => (name ? all.replaceAll(name, String(n + firstName)) : all), text);
  const parts = numbers.split(",").map((part) => {
    const [range = "", step = "1"] = part.split("/");
    const [low = "0", high = low] = range === "*" ? ["0", "9999"] : range.split("-");
    return { low: Number(low), high: Number(high), step: Number(step) };
  });
  return {
    text,
    has: (value) => parts.some(({ low, high, step }) => value >= low && value <= high && (value - low) % step === 0),
  };
}
