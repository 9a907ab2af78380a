/**
 * Vectors in the index. They hang on the hash of a text and on a generation: an embedder's id and the length of its vectors.
 * Those of an old generation stay until everything has one of the new; then they go in one step.
 */

import type { VectorIndex } from "../../contracts/memory.ts";
import type { MissingText } from "../memory-job.ts";
import { createBitIndex, createSqliteVecIndex, toSignBits } from "../vector/index.ts";
import type { IndexFile, Row } from "./index-file.ts";
import { readMeta, writeMeta } from "./meta.ts";
import { type ChangedChunks, toEmbedText } from "./sync-files.ts";

export interface Generation {
  id: number;
  dimensions: number;
}

/** The newest of this embedder. Undefined: it has made no vectors yet. */
export function findGeneration(index: IndexFile, embedder: string): Generation | undefined {
  const row = index.get("SELECT id, dimensions FROM generations WHERE embedder = ? ORDER BY id DESC LIMIT 1", embedder);
  return row && { id: Number(row["id"]), dimensions: Number(row["dimensions"]) };
}

export function countEmbedded(index: IndexFile, generation: Generation | undefined): number {
  if (!generation) return 0;
  const sql = "SELECT count(*) AS n FROM chunks c JOIN signs s ON s.generation = ? AND s.hash = c.hash";
  return Number(index.get(sql, generation.id)?.["n"]);
}

/** Texts behind the chunk `after` that have no vector of this embedder yet, each once. */
export function listMissing(
  index: IndexFile,
  { embedder, after, limit }: { embedder: string; after: number; limit: number },
): { items: MissingText[]; last: number } {
  const rows = index.all(
    `SELECT c.id, c.hash, c.head, c.text FROM chunks c
     WHERE c.id > ? AND NOT EXISTS (SELECT 1 FROM signs s WHERE s.generation = ? AND s.hash = c.hash)
     ORDER BY c.id LIMIT ?`,
    ...[after, findGeneration(index, embedder)?.id ?? -1, limit],
  );
  const items = new Map(rows.map(({ hash, head, text }) => [String(hash), toEmbedText(String(head), String(text))]));
  return {
    items: [...items].map(([hash, text]) => ({ hash, text })),
    last: Number(rows.at(-1)?.["id"] ?? after),
  };
}

/** All of one length. True: the embedder's vectors had another length before, which are of no use to its questions. */
export function keepVectors(
  index: IndexFile,
  embedder: string,
  items: readonly { hash: string; vector: Float32Array }[],
): boolean {
  const dimensions = items[0]?.vector.length;
  if (dimensions === undefined) return false;
  return index.transaction(() => {
    const before = findGeneration(index, embedder);
    const generation = before?.dimensions === dimensions ? before.id : startGeneration(index, embedder, dimensions);
    for (const { hash, vector } of items) {
      const known = index.get("SELECT vector FROM signs WHERE generation = ? AND hash = ?", generation, hash);
      if (known) continue;
      const id = index.run("INSERT INTO vectors (vector) VALUES (?)", toBlob(vector));
      index.run(
        "INSERT INTO signs (generation, hash, bits, vector) VALUES (?, ?, ?, ?)",
        ...[generation, hash, toBlob(toSignBits(vector)), id],
      );
    }
    return before !== undefined && before.dimensions !== dimensions;
  });
}

function startGeneration(index: IndexFile, embedder: string, dimensions: number): number {
  // A length that was there before and comes again must become the newest.
  const old = index.get("SELECT id FROM generations WHERE embedder = ? AND dimensions = ?", embedder, dimensions)?.[
    "id"
  ];
  if (old !== undefined) dropGeneration(index, Number(old));
  const newest = Number(index.get("SELECT coalesce(max(id), 0) AS id FROM generations")?.["id"]);
  return index.run(
    "INSERT INTO generations (id, embedder, dimensions) VALUES (?, ?, ?)",
    newest + 1,
    embedder,
    dimensions,
  );
}

/** The embedder makes vectors of another length from now on: everything needs a new one. */
export function restartVectors(index: IndexFile, embedder: string, dimensions: number): void {
  if (findGeneration(index, embedder)?.dimensions === dimensions) return;
  index.transaction(() => startGeneration(index, embedder, dimensions));
}

/**
 * If everything has a vector of this embedder, but for so many texts that it does not take, those of others go, and most of
 * those whose text is gone.
 */
export function settleVectors(index: IndexFile, embedder: string, mayLack: number): void {
  const generation = findGeneration(index, embedder);
  if (!generation || listMissing(index, { embedder, after: 0, limit: mayLack + 1 }).items.length > mayLack) return;
  index.transaction(() => {
    for (const { id } of index.all("SELECT id FROM generations WHERE id <> ?", generation.id))
      dropGeneration(index, Number(id));
    dropUnused(index, generation);
    if (readMeta(index, "settled") !== embedder) writeMeta(index, "settled", embedder);
  });
}

function dropGeneration(index: IndexFile, generation: number): void {
  index.run("DELETE FROM vectors WHERE id IN (SELECT vector FROM signs WHERE generation = ?)", generation);
  index.run("DELETE FROM signs WHERE generation = ?", generation);
  index.run("DELETE FROM generations WHERE id = ?", generation);
}

/** Vectors without a text are kept for a while: text that moves from one file to another is gone in between. */
function dropUnused(index: IndexFile, { id }: Generation): void {
  const unused = index.all(
    "SELECT s.hash, s.vector FROM signs s WHERE s.generation = ? AND NOT EXISTS (SELECT 1 FROM chunks c WHERE c.hash = s.hash)",
    id,
  );
  if (unused.length <= mostUnused) return;
  for (const row of unused) {
    index.run("DELETE FROM vectors WHERE id = ?", Number(row["vector"]));
    index.run("DELETE FROM signs WHERE generation = ? AND hash = ?", id, String(row["hash"]));
  }
}

const mostUnused = 2000;

/** The vectors of one generation as they are searched, in memory, with whose they are. */
export interface LoadedVectors {
  readonly generation: Generation;
  readonly kind: string;
  readonly index: VectorIndex;
  /** Scope of each piece that has a vector. */
  readonly scopes: Map<number, number>;
  readVector(id: number): Float32Array | undefined;
  follow(changed: ChangedChunks): void;
  /** Takes in what was kept for these texts. */
  addTexts(hashes: readonly string[]): void;
  close(): void;
}

export async function loadVectors(index: IndexFile, generation: Generation, kind: string): Promise<LoadedVectors> {
  const scopes = new Map<number, number>();
  // Where each piece's vector lies: some hundred are read in a search.
  const places = new Map<number, number>();
  const readVector = (id: number) => {
    const place = places.get(id);
    const row = place === undefined ? undefined : index.get("SELECT vector FROM vectors WHERE id = ?", place);
    return row && toVector(row["vector"]);
  };
  const bits = kind === "sqlite-vec" ? undefined : createBitIndex({ readVector });
  const exact = bits === undefined ? await createSqliteVecIndex() : undefined;
  const put = (rows: readonly Row[]) => {
    for (const row of rows) {
      scopes.set(Number(row["id"]), Number(row["scope"]));
      places.set(Number(row["id"]), Number(row["vector"]));
    }
    bits?.putBits(
      rows.map((row) => ({ id: Number(row["id"]), bits: toBits(row["bits"]) })),
      generation.dimensions,
    );
    exact?.put(rows.flatMap((row) => toItem(Number(row["id"]), readVector)));
  };
  const rows = index.iterate(`${chunkBits} ORDER BY c.id`, generation.id);
  for (const batch of inBatches(rows, 1000)) put(batch);
  return {
    generation,
    kind,
    index: bits ?? (exact as VectorIndex),
    scopes,
    readVector,
    follow({ removed, added }) {
      const gone = removed.filter((id) => scopes.delete(id));
      for (const id of gone) places.delete(id);
      (bits ?? exact)?.remove(gone);
      for (const id of added) put(index.all(`${chunkBits} WHERE c.id = ?`, generation.id, id));
    },
    addTexts(hashes) {
      for (const hash of hashes) put(index.all(`${chunkBits} WHERE c.hash = ?`, generation.id, hash));
    },
    close: () => exact?.close(),
  };
}

const chunkBits =
  "SELECT c.id, c.scope, s.bits, s.vector FROM chunks c JOIN signs s ON s.generation = ? AND s.hash = c.hash";

function toItem(id: number, readVector: (id: number) => Float32Array | undefined) {
  const vector = readVector(id);
  return vector ? [{ id, vector }] : [];
}

function* inBatches<T>(all: Iterable<T>, size: number): Iterable<T[]> {
  let batch: T[] = [];
  for (const each of all) {
    batch.push(each);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

const toBlob = (values: Float32Array | Uint32Array) =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength);

/** A copy: what SQLite gives need not begin at a multiple of four. */
const copyBytes = (value: unknown) => (value instanceof Uint8Array ? value.slice().buffer : new ArrayBuffer(0));
const toVector = (value: unknown) => new Float32Array(copyBytes(value));
const toBits = (value: unknown) => new Uint32Array(copyBytes(value));
