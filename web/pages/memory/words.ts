/** Scores, ways of searching and states of the index in words. */
import type { MemoryHitSummary, MemoryStatusSummary, Params } from "../../../src/gateway/protocol/index.ts";

/** Of a badge. */
type Tone = "neutral" | "accent" | "good" | "warn" | "bad";

export function describeScore(score: number): { percent: string; tone: Tone } {
  const within = Math.min(1, Math.max(0, score));
  return {
    percent: `${Math.round(within * 100)} %`,
    tone: within >= 0.6 ? "good" : within >= 0.3 ? "accent" : "neutral",
  };
}

export const describeMode = (mode: NonNullable<Params<"memory.search">["mode"]>): string =>
  mode === "fused" ? "by words and meaning" : mode === "text" ? "by words" : "by meaning";

export function describeIndex({ state, chunks }: MemoryStatusSummary): { text: string; tone: Tone } {
  if (state === "indexing") return { text: "Indexing", tone: "accent" };
  if (state === "waiting") return { text: "Waiting", tone: "warn" };
  return chunks === 0 ? { text: "Empty", tone: "neutral" } : { text: "Up to date", tone: "good" };
}

/** Whole numbers, 0 to 100. */
export const toPercent = ({ done, total }: { done: number; total: number }): number =>
  total === 0 ? 0 : Math.min(100, Math.floor((done / total) * 100));

const around = 10;
const mostLines = 200;

/** The lines to show of what was found: some before and after. */
export function linesAround({ fromLine, toLine }: MemoryHitSummary): { from: number; to: number } {
  const from = Math.max(1, fromLine - around);
  return { from, to: Math.min(toLine + around, from + mostLines - 1) };
}

/** The lines before or after those that are shown; undefined: there are none. */
export function linesBeside(
  { fromLine, toLine, totalLines }: { fromLine: number; toLine: number; totalLines: number },
  side: "before" | "after",
): { from: number; to: number } | undefined {
  const size = 40;
  if (side === "before") return fromLine > 1 ? { from: Math.max(1, fromLine - size), to: fromLine - 1 } : undefined;
  return toLine < totalLines ? { from: toLine + 1, to: Math.min(totalLines, toLine + size) } : undefined;
}
