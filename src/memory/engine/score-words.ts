/**
 * Text search: which pieces have the words of a question, and how well. A score is BM25 divided by what an ideal piece would
 * get, the sum of the rarity of all words sought: so one accidental word in common counts for little, which a rank cannot show.
 */
import { tokeniseQuery } from "../text/tokenise.ts";
import type { IndexFile } from "./index-file.ts";
import { toScopeWord } from "./sync-files.ts";
import type { WordFacts } from "./word-facts.ts";

/** How fast a word's repetitions stop counting, and how much a long piece is held to have it by chance: BM25's usual values. */
const saturation = 1.2;
const lengthShare = 0.75;
/** Candidates are sought by the rarest words, as long as these are in no more pieces than that in all. */
const mostLookedAt = 10_000;

export interface SoughtWords {
  /** Word and its worth. */
  worth: ReadonlyMap<string, number>;
  ideal: number;
  /** By which candidates are found; empty: none of them is anywhere. */
  keys: string[];
  /** Where even the rarest word is nearly everywhere, pieces before this one are not looked at. */
  oldest: number;
}

export function seekWords(text: string, facts: WordFacts): SoughtWords {
  const words = tokeniseQuery(text).map((word) => ({ word, count: facts.countOf(word) }));
  const worth = new Map(words.map(({ word, count }) => [word, rarity(count, facts.chunks)]));
  const keys: string[] = [];
  let lookedAt = 0;
  for (const { word, count } of words.filter((each) => each.count > 0).sort((a, b) => a.count - b.count)) {
    if (keys.length > 0 && lookedAt + count > mostLookedAt) break;
    keys.push(word);
    lookedAt += count;
  }
  const ideal = [...worth.values()].reduce((sum, each) => sum + each, 0);
  const share = Math.min(1, mostLookedAt / Math.max(1, lookedAt));
  return { worth, ideal, keys, oldest: Math.floor(facts.newest - (facts.newest - facts.oldest + 1) * share) + 1 };
}

/** Always above nothing, also for a word that is everywhere: in a small memory most words are. */
const rarity = (count: number, chunks: number) => Math.log(1 + (Math.max(chunks, count) - count + 0.5) / (count + 0.5));

/** Ids of the pieces that match best, only of these scopes (absent: all). */
export function findByWords(
  index: IndexFile,
  { keys, oldest }: SoughtWords,
  { scopeIds, limit }: { scopeIds: readonly number[] | undefined; limit: number },
): number[] {
  if (keys.length === 0 || scopeIds?.length === 0) return [];
  const words = `words : (${keys.map(quote).join(" OR ")})`;
  const query = scopeIds ? `scope : (${scopeIds.map(toScopeWord).map(quote).join(" OR ")}) AND ${words}` : words;
  // Who sees a part only must not lose it to the many others.
  const from = scopeIds ? 0 : oldest;
  const sql = "SELECT rowid AS id FROM search WHERE search MATCH ? AND rowid >= ? ORDER BY rank LIMIT ?";
  return index.all(sql, query, from, limit).map(({ id }) => Number(id));
}

const quote = (word: string) => `"${word.replaceAll('"', "")}"`;

/** 0 to 1. `words`: as they were cut when the piece was indexed. */
export function scoreWords(words: readonly string[], sought: SoughtWords, { averageWords }: WordFacts): number {
  if (sought.ideal <= 0) return 0;
  const counts = new Map<string, number>();
  for (const word of words) if (sought.worth.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const penalty = saturation * (1 - lengthShare + (lengthShare * words.length) / averageWords);
  let score = 0;
  for (const [word, count] of counts) {
    score += ((sought.worth.get(word) ?? 0) * count * (saturation + 1)) / (count + penalty);
  }
  return Math.min(1, score / sought.ideal);
}
