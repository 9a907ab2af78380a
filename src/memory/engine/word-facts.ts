/** How rare words are in an index: what a match of one is worth. Kept until the index changes. */
import type { IndexFile } from "./index-file.ts";

export interface WordFacts {
  readonly chunks: number;
  /** Ids of the first and the last piece. */
  readonly oldest: number;
  readonly newest: number;
  /** Words in a piece, on average. */
  readonly averageWords: number;
  /** In how many pieces the word is. */
  countOf(word: string): number;
}

const mostKept = 5000;

export function readWordFacts(index: IndexFile): WordFacts {
  const row = index.get(
    "SELECT count(*) AS n, coalesce(avg(words), 1) AS average, min(id) AS oldest, max(id) AS newest FROM chunks",
  );
  const counts = new Map<string, number>();
  return {
    chunks: Number(row?.["n"]),
    oldest: Number(row?.["oldest"] ?? 0),
    newest: Number(row?.["newest"] ?? 0),
    averageWords: Math.max(1, Number(row?.["average"])),
    countOf(word) {
      const known = counts.get(word);
      if (known !== undefined) return known;
      const found = Number(index.get("SELECT doc FROM vocabulary WHERE term = ?", word)?.["doc"] ?? 0);
      if (counts.size >= mostKept) counts.clear();
      counts.set(word, found);
      return found;
    },
  };
}
