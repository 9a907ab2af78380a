/** From the gateway's totals to what the usage page shows: sums, days without gaps, and the largest first. */
import type { UsageTotalSummary } from "../../../src/gateway/protocol/index.ts";

interface Figures {
  calls: number;
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  cost: number;
}

export type Range = 1 | 7 | 30 | 90;
export const ranges: readonly Range[] = [1, 7, 30, 90];

const none: Figures = { calls: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: 0 };

export function sumFigures(totals: readonly Figures[]): Figures {
  return totals.reduce(
    (sum, each) => ({
      calls: sum.calls + each.calls,
      input: sum.input + each.input,
      output: sum.output + each.output,
      cacheRead: sum.cacheRead + each.cacheRead,
      cacheWrite: sum.cacheWrite + each.cacheWrite,
      cost: sum.cost + each.cost,
    }),
    none,
  );
}

export const tokensOf = ({ input, output, cacheRead, cacheWrite }: Figures): number =>
  input + output + cacheRead + cacheWrite;

/** Local time, as mom books it. */
export function toDay(at: Date): string {
  const two = (part: number) => String(part).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/** The first of the `range` days that end today. */
export function firstDay(range: Range, now: Date): string {
  return toDay(new Date(now.getFullYear(), now.getMonth(), now.getDate() - range + 1, 12));
}

export interface Day extends Figures {
  day: string;
}

/** One entry per day of the range, those without use too. mom may live in another time zone: its days count as well. */
export function fillDays(totals: readonly UsageTotalSummary[], range: Range, now: Date): Day[] {
  const known = new Map(totals.map((total) => [total.key, total]));
  const days = Array.from({ length: range }, (_, i) =>
    toDay(new Date(now.getFullYear(), now.getMonth(), now.getDate() - range + 1 + i, 12)),
  );
  const [first = ""] = days;
  const others = [...known.keys()].filter((day) => day >= first && !days.includes(day));
  return [...days, ...others].sort().map((day) => ({ ...none, ...withoutKey(known.get(day)), day }));
}

function withoutKey(total: UsageTotalSummary | undefined): Partial<Figures> {
  if (!total) return {};
  const { key: _, ...figures } = total;
  return figures;
}

export interface Ranked extends Figures {
  key: string;
  tokens: number;
  /** Of the largest, 0 to 1: the length of its bar. */
  share: number;
}

/** Largest first: by cost, or by tokens where nothing has cost anything (local models). */
export function rankTotals(totals: readonly UsageTotalSummary[]): Ranked[] {
  const measure = measureOf(totals);
  const most = Math.max(...totals.map(measure), 0);
  return totals
    .map((total) => ({ ...total, tokens: tokensOf(total), share: most > 0 ? measure(total) / most : 0 }))
    .sort((a, b) => b.share - a.share || b.tokens - a.tokens || a.key.localeCompare(b.key));
}

const measureOf = (totals: readonly Figures[]) =>
  totals.some(({ cost }) => cost > 0) ? ({ cost }: Figures) => cost : tokensOf;

/** `2026-11-16` → `Mon 16 Nov`. */
export function formatDay(day: string, locale?: string): string {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date, 12).toLocaleDateString(locale, {
    weekday: "short",
    day: "numeric",
    month: "short",
  });
}
