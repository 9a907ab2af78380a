/** What one session used on each of the last days, made from totals "since that day", which is what can be asked for. */
import type { UsageTotalSummary } from "../../../src/gateway/protocol/index.ts";

export interface DayUsage {
  /** `YYYY-MM-DD` */
  day: string;
  tokens: number;
  cost: number;
  calls: number;
}

/** The last days up to that of `now`, oldest first, in the browser's time. */
export function listDays(now: number, count: number): string[] {
  const date = new Date(now);
  return Array.from({ length: count }, (_, index) =>
    formatDay(new Date(date.getFullYear(), date.getMonth(), date.getDate() - (count - 1 - index))),
  );
}

const formatDay = (date: Date): string =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, "0")).join("-");

/** `since[i]`: the totals by session since `days[i]`. */
export function splitByDay(
  sessionKey: string,
  days: readonly string[],
  since: readonly (readonly UsageTotalSummary[])[],
): DayUsage[] {
  const sums = days.map((_, index) => sumOf(since[index]?.find(({ key }) => key === sessionKey)));
  return days.map((day, index) => {
    const own = sums[index] ?? sumOf(undefined);
    const later = sums[index + 1] ?? sumOf(undefined);
    // Between two answers more may have been used: never below zero.
    const less = (field: "tokens" | "cost" | "calls") => Math.max(0, own[field] - later[field]);
    return { day, tokens: less("tokens"), cost: less("cost"), calls: less("calls") };
  });
}

function sumOf(total: UsageTotalSummary | undefined): { tokens: number; cost: number; calls: number } {
  if (!total) return { tokens: 0, cost: 0, calls: 0 };
  const { input, output, cacheRead, cacheWrite, cost, calls } = total;
  return { tokens: input + output + cacheRead + cacheWrite, cost, calls };
}
