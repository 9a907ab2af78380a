/**
 * One search: candidates by words and by vectors, only of what the asker may read, each then scored both ways and fused by
 * score. The filter is part of finding, never of what was found: a chat's own lines are not crowded out by those of others.
 */
import { errorText } from "../../base/errors.ts";
import type { MemoryAnswer, MemoryHit } from "../../contracts/memory.ts";
import type { SearchedFacts, SearchJob } from "../memory-job.ts";
import type { IndexFile } from "./index-file.ts";
import { type Ranked, rank } from "./rank.ts";
import { findByWords, type SoughtWords, scoreWords, seekWords } from "./score-words.ts";
import { buildSnippet } from "./snippet.ts";
import type { LoadedVectors } from "./vectors.ts";
import type { WordFacts } from "./word-facts.ts";

/** Share of the vector in a fused score; words have the rest. Held best in trials (docs/memory.md). */
const vectorShare = 0.7;
/** What scores less says nothing, nor what is less than this share as good as the best (docs/memory.md has the figures). */
const noise: Readonly<Record<MemoryAnswer["mode"], number>> = { fused: 0.18, vector: 0.22, text: 0.12 };
const shareOfBest: Readonly<Record<MemoryAnswer["mode"], number>> = { fused: 0.5, vector: 0.5, text: 0 };
const fewestCandidates = 100;
const candidatesEach = 5;

export interface SearchParts {
  index: IndexFile;
  facts: WordFacts;
  /** Absent: there are none that fit the question's. */
  vectors: LoadedVectors | undefined;
}

export interface SearchResult {
  hits: MemoryHit[];
  mode: MemoryAnswer["mode"];
  searched: SearchedFacts;
}

export function searchIndex(parts: SearchParts, job: SearchJob): SearchResult {
  const { index, facts } = parts;
  const scopeIds = job.scopes && findScopeIds(index, job.scopes);
  const sought = seekWords(job.text, facts);
  const limit = Math.max(fewestCandidates, job.maxResults * candidatesEach);
  const { cosines, vectorProblem } = findByVector(parts, job, { scopeIds, limit });
  const mode = cosines === undefined ? "text" : job.mode === "text" ? "text" : job.mode;
  const byWords = mode === "vector" ? [] : findByWords(index, sought, { scopeIds, limit });
  const ids = new Set([...byWords, ...(cosines?.keys() ?? [])]);
  const found = [...ids].flatMap((id) => {
    const piece = readPiece(index, id, scopeIds);
    if (!piece) return [];
    const byText = mode === "vector" ? 0 : scoreWords(piece.words, sought, facts);
    const score = mode === "text" ? byText : fuse(cosines?.get(id) ?? cosineOf(parts, job, id), byText, mode);
    return [{ ...piece, score }];
  });
  const best = found.reduce((most, { score }) => Math.max(most, score), 0);
  const ranked = rank(found, { ...job, minScore: job.minScore ?? Math.max(noise[mode], best * shareOfBest[mode]) });
  const embedded = parts.vectors?.index.size ?? 0;
  const searched = { chunks: facts.chunks, embedded, ...(vectorProblem !== undefined && { vectorProblem }) };
  return { hits: ranked.map((each) => toHit(each, sought)), mode, searched };
}

/** A piece without a vector yet has its words alone. */
function fuse(cosine: number | undefined, byText: number, mode: MemoryAnswer["mode"]): number {
  const byVector = Math.max(0, cosine ?? 0);
  if (mode === "vector") return byVector;
  return cosine === undefined ? byText : vectorShare * byVector + (1 - vectorShare) * byText;
}

const findScopeIds = (index: IndexFile, scopes: readonly string[]): number[] =>
  index
    .all("SELECT id FROM scopes WHERE name IN (SELECT value FROM json_each(?))", JSON.stringify(scopes))
    .map(({ id }) => Number(id));

function findByVector(
  { vectors }: SearchParts,
  { vector, mode }: SearchJob,
  { scopeIds, limit }: { scopeIds: readonly number[] | undefined; limit: number },
): { cosines?: Map<number, number>; vectorProblem?: string } {
  if (!vector || !vectors || mode === "text") return {};
  const allowed = scopeIds && new Set(scopeIds);
  const mayRead = allowed && ((id: number) => allowed.has(vectors.scopes.get(id) ?? -1));
  try {
    const nearest = vectors.index.nearest(vector.values, limit, mayRead);
    return { cosines: new Map(nearest.map(({ id, score }) => [id, score])) };
  } catch (error) {
    return { vectorProblem: errorText(error) };
  }
}

function cosineOf({ vectors }: SearchParts, { vector }: SearchJob, id: number): number | undefined {
  const kept = vector && vectors?.readVector(id);
  if (!kept || kept.length !== vector.values.length) return undefined;
  let dot = 0;
  for (let at = 0; at < kept.length; at++) dot += (kept[at] ?? 0) * (vector.values[at] ?? 0);
  return dot;
}

interface Piece extends Ranked {
  text: string;
}

function readPiece(
  index: IndexFile,
  id: number,
  scopeIds: readonly number[] | undefined,
): Omit<Piece, "score"> | undefined {
  const row = index.get(
    `SELECT f.path, f.changed_at, c.scope, c.from_line, c.to_line, c.text, s.words
     FROM chunks c JOIN files f ON f.id = c.file JOIN search s ON s.rowid = c.id WHERE c.id = ?`,
    id,
  );
  if (!row || (scopeIds && !scopeIds.includes(Number(row["scope"])))) return undefined;
  return {
    path: String(row["path"]),
    fromLine: Number(row["from_line"]),
    toLine: Number(row["to_line"]),
    text: String(row["text"]),
    words: String(row["words"]).split(" "),
    changedAtMs: Number(row["changed_at"]),
  };
}

function toHit({ path, fromLine, toLine, score, text }: Piece, { worth }: SoughtWords): MemoryHit {
  const lines = fromLine === toLine ? `L${fromLine}` : `L${fromLine}-L${toLine}`;
  return {
    path,
    fromLine,
    toLine,
    score: Math.round(Math.min(1, Math.max(0, score)) * 1000) / 1000,
    snippet: buildSnippet(text, worth),
    citation: `${path}#${lines}`,
  };
}
