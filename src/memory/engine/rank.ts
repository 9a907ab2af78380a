/** Puts what was found in order: newer first where that is wanted, no line twice, and what repeats a better one further back. */
import type { MemoryConfig } from "../config.ts";

export interface Ranked {
  path: string;
  fromLine: number;
  toLine: number;
  score: number;
  words: readonly string[];
  changedAtMs: number;
}

export interface RankOptions {
  maxResults: number;
  minScore: number;
  recency?: MemoryConfig["recency"];
  diversity: number;
  nowMs: number;
}

export function rank<T extends Ranked>(found: readonly T[], options: RankOptions): T[] {
  const { maxResults, minScore, recency, diversity, nowMs } = options;
  const aged = recency
    ? found.map((each) => ({ ...each, score: each.score * ageFactor(each, recency, nowMs) }))
    : found;
  const good = aged.filter(({ score }) => score >= minScore).sort(byScore);
  const single = dropOverlaps(good, diversity > 0 ? maxResults * 4 : maxResults);
  return diversity > 0 ? spread(single, diversity, maxResults) : single;
}

const byScore = (a: Ranked, b: Ranked) =>
  b.score - a.score || (a.path < b.path ? -1 : a.path > b.path ? 1 : a.fromLine - b.fromLine);

/** Pieces overlap by design: of two that share lines the better one is shown. */
function dropOverlaps<T extends Ranked>(sorted: readonly T[], limit: number): T[] {
  const kept: T[] = [];
  for (const each of sorted) {
    if (kept.length >= limit) break;
    if (!kept.some((other) => hasCommonLine(each, other))) kept.push(each);
  }
  return kept;
}

const hasCommonLine = (a: Ranked, b: Ranked) => a.path === b.path && a.fromLine <= b.toLine && b.fromLine <= a.toLine;

const dayMs = 24 * 3600 * 1000;

function ageFactor(
  each: Ranked,
  { halfLifeDays, weight }: NonNullable<MemoryConfig["recency"]>,
  nowMs: number,
): number {
  const ageDays = Math.max(0, nowMs - dateOf(each)) / dayMs;
  return 1 - weight + weight * 2 ** (-ageDays / halfLifeDays);
}

/** Daily notes have their day in the name; it stays when the file is touched. */
function dateOf({ path, changedAtMs }: Ranked): number {
  const day = /(\d{4}-\d{2}-\d{2})[^/]*$/.exec(path)?.[1];
  const named = day === undefined ? Number.NaN : Date.parse(`${day}T12:00:00Z`);
  return Number.isNaN(named) ? changedAtMs : named;
}

/** Maximal marginal relevance: each next one is the best after what it shares with those before is taken off. */
function spread<T extends Ranked>(sorted: readonly T[], diversity: number, limit: number): T[] {
  const left = sorted.map((each) => ({ each, words: new Set(each.words), likeness: 0 }));
  const taken: T[] = [];
  while (left.length > 0 && taken.length < limit) {
    const values = left.map(({ each, likeness }) => each.score - diversity * likeness);
    const [next] = left.splice(values.indexOf(Math.max(...values)), 1);
    if (!next) break;
    taken.push(next.each);
    for (const other of left) other.likeness = Math.max(other.likeness, likenessOf(other.words, next.words));
  }
  return taken;
}

function likenessOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let common = 0;
  for (const word of a) if (b.has(word)) common++;
  return common / Math.max(1, a.size + b.size - common);
}
