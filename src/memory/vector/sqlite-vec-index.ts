/**
 * The other vector index: sqlite-vec's table in a temporary database, which SQLite keeps on disk and removes by itself. Exact,
 * slower than bits with rescoring, and native code; for those who want SQL's own search or distrust approximation.
 */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { errorText } from "../../base/errors.ts";
import type { VectorIndex } from "../../contracts/memory.ts";
import { EmbedError } from "../embed/embed-error.ts";
import { loadSqliteVec } from "./catalog.ts";
import { byScore, checkItems, checkVector } from "./check-vector.ts";

export interface SqliteVecIndex extends VectorIndex {
  close(): void;
}

/** What is loaded into SQLite. */
export type LoadExtension = () => Promise<{ load(database: DatabaseSync): void }>;

interface Table {
  dimensions: number;
  insert: StatementSync;
  remove: StatementSync;
  nearest: StatementSync;
  nearestOf: StatementSync;
}

/** sqlite-vec gives no more in one search. */
const mostResults = 4096;
/** Which of several equal ones it takes is chance: some more are asked for, then put in order. */
const extraResults = 64;

/** Throws `VECTOR_EXTENSION_MISSING`. `load` absent: the optional package sqlite-vec. */
export async function createSqliteVecIndex({
  load = loadSqliteVec,
}: {
  load?: LoadExtension;
} = {}): Promise<SqliteVecIndex> {
  const database = await openWithExtension(load);
  const ids = new Set<number>();
  let table: Table | undefined;

  const tableFor = (dimensions: number) => {
    if (table?.dimensions !== dimensions) table = createTable(database, dimensions);
    return table;
  };
  const presentDimensions = () => (ids.size > 0 ? table?.dimensions : undefined);
  const removeOne = (id: number) => {
    if (ids.delete(id)) table?.remove.run(BigInt(id));
  };

  return {
    name: "sqlite-vec",
    get size() {
      return ids.size;
    },
    get bytes() {
      return readBytes(database);
    },
    put(items) {
      if (items.length === 0) return;
      const { insert } = tableFor(checkItems(items, presentDimensions()));
      inTransaction(database, () => {
        for (const { id, vector } of items) {
          removeOne(id);
          insert.run(BigInt(id), toBlob(vector));
          ids.add(id);
        }
      });
    },
    remove(gone) {
      inTransaction(database, () => {
        for (const id of gone) removeOne(id);
      });
    },
    nearest(query, k, allowed) {
      checkVector(query, presentDimensions());
      if (table === undefined || ids.size === 0 || k <= 0) return [];
      const limit = Math.min(mostResults, k + extraResults);
      const rows = allowed
        ? table.nearestOf.all(toBlob(query), limit, JSON.stringify([...ids].filter(allowed)))
        : table.nearest.all(toBlob(query), limit);
      return rows
        .map(({ rowid, distance }) => ({ id: Number(rowid), score: Math.max(-1, 1 - Number(distance)) }))
        .sort(byScore)
        .slice(0, k);
    },
    close: () => database.close(),
  };
}

async function openWithExtension(load: LoadExtension): Promise<DatabaseSync> {
  const database = new DatabaseSync("", { allowExtension: true });
  try {
    (await load()).load(database);
    database.enableLoadExtension(false);
    return database;
  } catch (error) {
    database.close();
    throw new EmbedError("VECTOR_EXTENSION_MISSING", `sqlite-vec cannot be used: ${errorText(error)}`, {
      hint: 'Install it beside mom (`npm install sqlite-vec`), or leave the index at "bits", which needs nothing.',
      cause: error,
    });
  }
}

function createTable(database: DatabaseSync, dimensions: number): Table {
  database.exec("drop table if exists items");
  database.exec(`create virtual table items using vec0(vector float[${dimensions}] distance_metric=cosine)`);
  const search = "select rowid, distance from items where vector match ? and k = ?";
  return {
    dimensions,
    insert: database.prepare("insert into items(rowid, vector) values (?, ?)"),
    remove: database.prepare("delete from items where rowid = ?"),
    nearest: database.prepare(search),
    nearestOf: database.prepare(`${search} and rowid in (select value from json_each(?))`),
  };
}

function inTransaction(database: DatabaseSync, work: () => void): void {
  database.exec("begin");
  try {
    work();
    database.exec("commit");
  } catch (error) {
    database.exec("rollback");
    throw error;
  }
}

const toBlob = (vector: Float32Array) => new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);

/** Pages of the temporary database: on disk, but for what SQLite's cache holds. */
function readBytes(database: DatabaseSync): number {
  const pages = database.prepare("pragma page_count").get()?.["page_count"];
  const size = database.prepare("pragma page_size").get()?.["page_size"];
  return Number(pages ?? 0) * Number(size ?? 0);
}
