/**
 * The vector index that mom uses: sign bits in memory (48 bytes for 384 dimensions), the vectors themselves wherever the
 * caller keeps them. A search looks at all bits, takes the few hundred nearest and asks for those vectors to tell exactly.
 */
import type { VectorIndex } from "../../contracts/memory.ts";
import { EmbedError } from "../embed/embed-error.ts";
import { type BitTable, createBitTable } from "./bit-table.ts";
import { byScore, checkItems, checkVector, lengthOf } from "./check-vector.ts";
import { countDifferences, toSignBits, wordsFor } from "./sign-bits.ts";

export interface BitIndexDeps {
  /** The vector as it was put; called a few hundred times in a search. Undefined: it is gone, and is left out. */
  readVector(id: number): Float32Array | undefined;
}

export interface BitIndexOptions {
  /** How many candidates are compared exactly. Absent: 400, which found 99.6 % of the true ten best of real sentences. */
  rescore?: number;
}

export interface BitIndex extends VectorIndex {
  /** As `put`, from bits that were kept (`toSignBits`): a start need not read all vectors. Throws `EMBED_DIMENSION`. */
  putBits(items: readonly { id: number; bits: Uint32Array }[], dimensions: number): void;
}

const defaultRescore = 400;
/** More results than usual are asked for: so many candidates for each of them. */
const candidatesEach = 4;

export function createBitIndex({ readVector }: BitIndexDeps, options: BitIndexOptions = {}): BitIndex {
  const rescore = options.rescore ?? defaultRescore;
  let table: BitTable | undefined;

  const tableFor = (dimensions: number) => {
    if (table === undefined || (table.size === 0 && table.dimensions !== dimensions))
      table = createBitTable(dimensions);
    return table;
  };
  const presentDimensions = () => (table && table.size > 0 ? table.dimensions : undefined);

  return {
    name: "bits",
    get size() {
      return table?.size ?? 0;
    },
    get bytes() {
      return table?.bytes ?? 0;
    },
    put(items) {
      if (items.length === 0) return;
      const target = tableFor(checkItems(items, presentDimensions()));
      for (const { id, vector } of items) target.put(id, vector);
    },
    putBits(items, dimensions) {
      if (items.length === 0) return;
      checkBits(items, dimensions, presentDimensions());
      const target = tableFor(dimensions);
      for (const { id, bits } of items) target.putBits(id, bits);
    },
    remove(ids) {
      for (const id of ids) table?.remove(id);
    },
    nearest(query, k, allowed) {
      checkVector(query, presentDimensions());
      if (table === undefined || table.size === 0 || k <= 0) return [];
      const candidates = findCandidates(table, query, Math.max(rescore, k * candidatesEach), allowed);
      return scoreExactly(candidates, query, readVector).sort(byScore).slice(0, k);
    },
  };
}

function checkBits(items: readonly { bits: Uint32Array }[], dimensions: number, present: number | undefined): void {
  const isRight = dimensions === (present ?? dimensions);
  if (isRight && items.every(({ bits }) => bits.length === wordsFor(dimensions))) return;
  throw new EmbedError("EMBED_DIMENSION", `Bits of ${dimensions} dimensions do not fit those that are there`, {
    hint: "Vectors of different models cannot be compared: build the index anew.",
  });
}

/**
 * The ids of the `wanted` items that differ least. One pass: `bound` is the distance within which enough have been found
 * already, so most items are dropped before `allowed` is asked.
 */
function findCandidates(
  { words, ids, size, dimensions }: BitTable,
  query: Float32Array,
  wanted: number,
  allowed: ((id: number) => boolean) | undefined,
): number[] {
  const queryBits = toSignBits(query);
  const perItem = queryBits.length;
  const within = new Uint32Array(dimensions + 1);
  const found: { id: number; distance: number }[] = [];
  let bound = dimensions;
  let count = 0;
  for (let place = 0; place < size; place++) {
    const distance = countDifferences(queryBits, words, place * perItem);
    if (distance > bound) continue;
    const id = ids[place] as number;
    if (allowed && !allowed(id)) continue;
    found.push({ id, distance });
    (within[distance] as number)++;
    count++;
    while (count - (within[bound] as number) >= wanted) {
      count -= within[bound] as number;
      bound--;
    }
  }
  return cutTies(found, bound, wanted);
}

/** Where too many are equally far, the smaller ids are taken: the number of vectors that are read has a limit. */
function cutTies(found: readonly { id: number; distance: number }[], bound: number, wanted: number): number[] {
  const nearer = found.filter(({ distance }) => distance < bound).map(({ id }) => id);
  const equal = found.filter(({ distance }) => distance === bound).map(({ id }) => id);
  const room = wanted - nearer.length;
  if (equal.length <= room) return [...nearer, ...equal];
  return [...nearer, ...Float64Array.from(equal).sort().subarray(0, room)];
}

function scoreExactly(
  ids: readonly number[],
  query: Float32Array,
  readVector: BitIndexDeps["readVector"],
): { id: number; score: number }[] {
  const queryLength = lengthOf(query);
  return ids.flatMap((id) => {
    const vector = readVector(id);
    if (vector === undefined || vector.length !== query.length) return [];
    return [{ id, score: cosine(query, queryLength, vector) }];
  });
}

function cosine(query: Float32Array, queryLength: number, vector: Float32Array): number {
  let dot = 0;
  let square = 0;
  for (let at = 0; at < query.length; at++) {
    const value = vector[at] as number;
    dot += (query[at] as number) * value;
    square += value * value;
  }
  const length = queryLength * Math.sqrt(square);
  return length > 0 ? Math.max(-1, Math.min(1, dot / length)) : 0;
}
