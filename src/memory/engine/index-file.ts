/**
 * The index of one agent: a SQLite file that can be deleted at any time and is built anew from the files. One that is damaged
 * or of another version is replaced. Only the memory's thread opens it.
 */
import { mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from "node:sqlite";

export type Row = Record<string, SQLOutputValue>;

export interface IndexFile {
  readonly path: string;
  /** Each statement is compiled once. */
  run(sql: string, ...values: SQLInputValue[]): number;
  get(sql: string, ...values: SQLInputValue[]): Row | undefined;
  all(sql: string, ...values: SQLInputValue[]): Row[];
  iterate(sql: string, ...values: SQLInputValue[]): Iterable<Row>;
  transaction<T>(work: () => T): T;
  /** Changes whenever somebody else has written. */
  dataVersion(): number;
  close(): void;
}

const schemaVersion = 1;

/**
 * `words` of `search` are cut already (`tokenise`), so its tokenizer only has to keep them apart; `scope` is whose they are, as a
 * word that no text has, so that the filter is part of the match. It does not count in the order.
 */
const schema = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE scopes (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE files (
  id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, scope INTEGER NOT NULL, stamp TEXT NOT NULL, changed_at INTEGER NOT NULL
);
CREATE TABLE chunks (
  id INTEGER PRIMARY KEY AUTOINCREMENT, file INTEGER NOT NULL, scope INTEGER NOT NULL, from_line INTEGER NOT NULL,
  to_line INTEGER NOT NULL, hash TEXT NOT NULL, head TEXT NOT NULL, text TEXT NOT NULL, words INTEGER NOT NULL
);
CREATE INDEX chunks_by_file ON chunks (file);
CREATE INDEX chunks_by_hash ON chunks (hash, scope);
CREATE VIRTUAL TABLE search USING fts5 (words, scope, tokenize = 'ascii');
INSERT INTO search (search, rank) VALUES ('rank', 'bm25(1.0, 0.0)');
CREATE VIRTUAL TABLE vocabulary USING fts5vocab (search, row);
CREATE TABLE generations (id INTEGER PRIMARY KEY, embedder TEXT NOT NULL, dimensions INTEGER NOT NULL, UNIQUE (embedder, dimensions));
CREATE TABLE signs (
  generation INTEGER NOT NULL, hash TEXT NOT NULL, bits BLOB NOT NULL, vector INTEGER NOT NULL, PRIMARY KEY (generation, hash)
) WITHOUT ROWID;
CREATE TABLE vectors (id INTEGER PRIMARY KEY, vector BLOB NOT NULL);
`;

export function openIndexFile(path: string): IndexFile {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const sqlite = openCurrent(path);
  const statements = new Map<string, ReturnType<DatabaseSync["prepare"]>>();
  const prepare = (sql: string) => {
    const known = statements.get(sql);
    if (known) return known;
    // Statements with lists of any length are few at a time; the rest are constants of this room.
    if (statements.size >= mostStatements) statements.clear();
    const prepared = sqlite.prepare(sql);
    statements.set(sql, prepared);
    return prepared;
  };
  return {
    path,
    run: (sql, ...values) => Number(prepare(sql).run(...values).lastInsertRowid),
    get: (sql, ...values) => prepare(sql).get(...values),
    all: (sql, ...values) => prepare(sql).all(...values),
    iterate: (sql, ...values) => prepare(sql).iterate(...values),
    transaction(work) {
      sqlite.exec("BEGIN IMMEDIATE");
      try {
        const result = work();
        sqlite.exec("COMMIT");
        return result;
      } catch (error) {
        if (sqlite.isTransaction) sqlite.exec("ROLLBACK");
        throw error;
      }
    },
    dataVersion: () => Number(prepare("PRAGMA data_version").get()?.["data_version"]),
    close: () => sqlite.close(),
  };
}

const mostStatements = 100;

/** What is of another version is of no use: the files are the truth. */
function openCurrent(path: string): DatabaseSync {
  const sqlite = open(path);
  try {
    const version = readVersion(sqlite);
    if (version === schemaVersion) return sqlite;
    if (version === 0) {
      create(sqlite);
      return sqlite;
    }
  } catch (error) {
    sqlite.close();
    throw error;
  }
  sqlite.close();
  remove(path);
  const fresh = open(path);
  create(fresh);
  return fresh;
}

function open(path: string): DatabaseSync {
  const sqlite = new DatabaseSync(path, { timeout: 5000 });
  try {
    sqlite.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY;");
    sqlite.exec("PRAGMA journal_size_limit = 16777216; PRAGMA cache_size = -16384;");
    return sqlite;
  } catch (error) {
    sqlite.close();
    throw error;
  }
}

function create(sqlite: DatabaseSync): void {
  sqlite.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have come first.
    if (readVersion(sqlite) === 0) sqlite.exec(`${schema}; PRAGMA user_version = ${schemaVersion}`);
    sqlite.exec("COMMIT");
  } catch (error) {
    if (sqlite.isTransaction) sqlite.exec("ROLLBACK");
    throw error;
  }
}

const readVersion = (sqlite: DatabaseSync) => Number(sqlite.prepare("PRAGMA user_version").get()?.["user_version"]);

/** SQLite's codes for a malformed file and for one that is no database. */
const damageCodes = [11, 26];

export const isDamage = (error: unknown): boolean =>
  error instanceof Error && "errcode" in error && damageCodes.includes(Number(error.errcode) & 0xff);

/** Gives a damaged file another name; the one that was set aside before goes. The file must be closed. */
export function setAside(path: string): string {
  const aside = `${path}.damaged`;
  rmSync(aside, { force: true, recursive: true });
  renameSync(path, aside);
  remove(path);
  return aside;
}

export function remove(path: string): void {
  for (const ending of ["", "-wal", "-shm"]) rmSync(path + ending, { force: true });
}
