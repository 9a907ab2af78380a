/**
 * The SQLite database under the store: opening, migrating, transactions, and the one place where its errors become ours.
 * WAL with full sync: a commit that returned survives a power cut.
 */
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { errorText, MomError, StoreError } from "../base/errors.ts";
import { migrations } from "./migrations.ts";
import type { Row } from "./row.ts";

export interface Statement {
  run(...values: SQLInputValue[]): { changes: number; lastId: number };
  get(...values: SQLInputValue[]): Row | undefined;
  all(...values: SQLInputValue[]): Row[];
}

export interface Database {
  prepare(sql: string): Statement;
  /** Runs `work` as one transaction: all of it is on disk when this returns, or none. Not to be nested. */
  transaction<T>(work: () => T): T;
  /** Changes whenever another connection has committed. */
  dataVersion(): number;
  /** Damage was met since it was opened. */
  readonly isDamaged: boolean;
  /** Undefined when sound, else what is wrong. `deep` also compares every index with its table. */
  findDamage(deep: boolean): string | undefined;
  close(): void;
}

export function openDatabase(path: string, options: { readOnly?: boolean } = {}): Database {
  let isDamaged = false;
  const attempt = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      const known = toStoreError(path, error);
      isDamaged ||= known instanceof StoreError && known.code === "DATABASE_DAMAGED";
      throw known;
    }
  };
  const sqlite = attempt(() => new DatabaseSync(path, { readOnly: options.readOnly ?? false, timeout: 5000 }));
  try {
    attempt(() => {
      if (!options.readOnly) {
        sqlite.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;");
        sqlite.exec("PRAGMA wal_autocheckpoint = 1000; PRAGMA journal_size_limit = 16777216;");
        migrate(sqlite, path);
      }
    });
  } catch (error) {
    sqlite.close();
    throw error;
  }
  const versionQuery = attempt(() => sqlite.prepare("PRAGMA data_version"));
  return {
    prepare(sql) {
      const statement = attempt(() => sqlite.prepare(sql));
      return {
        run: (...values) =>
          attempt(() => {
            const { changes, lastInsertRowid } = statement.run(...values);
            return { changes: Number(changes), lastId: Number(lastInsertRowid) };
          }),
        get: (...values) => attempt(() => statement.get(...values)),
        all: (...values) => attempt(() => statement.all(...values)),
      };
    },
    transaction: (work) =>
      attempt(() => {
        sqlite.exec("BEGIN IMMEDIATE");
        try {
          const result = work();
          sqlite.exec("COMMIT");
          return result;
        } catch (error) {
          if (sqlite.isTransaction) sqlite.exec("ROLLBACK");
          throw error;
        }
      }),
    get isDamaged() {
      return isDamaged;
    },
    dataVersion: () => Number(versionQuery.get()?.["data_version"]),
    findDamage(deep) {
      try {
        const row = sqlite.prepare(deep ? "PRAGMA integrity_check(1)" : "PRAGMA quick_check(1)").get();
        const verdict = String(Object.values(row ?? {})[0]);
        return verdict === "ok" ? undefined : verdict;
      } catch (error) {
        // Anything but damage (a disk that does not answer, say) is no reason to give the database up.
        const known = toStoreError(path, error);
        if (known instanceof StoreError && known.code === "DATABASE_DAMAGED") return errorText(error);
        throw known;
      }
    },
    close: () => sqlite.close(),
  };
}

function migrate(sqlite: DatabaseSync, path: string): void {
  const version = schemaOf(sqlite);
  if (version > migrations.length) {
    throw new StoreError("STORE_TOO_NEW", `${path} was written by a newer mom (schema ${version})`, {
      hint: `This mom knows schema ${migrations.length}. Install the newer version again, or restore a backup.`,
    });
  }
  for (const [index, sql] of migrations.entries()) {
    if (index < version) continue;
    sqlite.exec("BEGIN IMMEDIATE");
    try {
      // Another process may have come first while this one waited.
      if (schemaOf(sqlite) === index) sqlite.exec(`${sql}; PRAGMA user_version = ${index + 1}`);
      sqlite.exec("COMMIT");
    } catch (error) {
      if (sqlite.isTransaction) sqlite.exec("ROLLBACK");
      throw error;
    }
  }
}

const schemaOf = (sqlite: DatabaseSync) => Number(sqlite.prepare("PRAGMA user_version").get()?.["user_version"]);

/** SQLite result codes, without their extensions. */
const fullCode = 13;
const readOnlyCode = 8;
const cannotOpenCode = 14;
const ioErrorCode = 10;
const damageCodes = [11, 26];

function toStoreError(path: string, error: unknown): unknown {
  if (error instanceof MomError || !(error instanceof Error) || !("errcode" in error)) return error;
  const code = Number(error.errcode) & 0xff;
  if (code === fullCode) {
    return new StoreError("DISK_FULL", `The disk is full: ${path} cannot grow`, {
      hint: "Free some space. Nothing that was acknowledged is lost; what could not be stored will be offered again.",
      retryable: true,
      cause: error,
    });
  }
  if (code === readOnlyCode || code === cannotOpenCode) {
    return new StoreError("STORE_NOT_WRITABLE", `${path} cannot be opened for writing (${error.message})`, {
      hint: "Give the user that runs mom write access to the data directory, or choose another with --data.",
      cause: error,
    });
  }
  if (damageCodes.includes(code)) {
    return new StoreError("DATABASE_DAMAGED", `${path} is damaged (${error.message})`, {
      hint: "Restart mom: it sets the file aside and rebuilds what it can from the channel folders.",
      cause: error,
    });
  }
  return new StoreError("DATABASE_FAILED", `The database failed: ${error.message}`, {
    hint: `See \`mom doctor\`. The file is ${path}.`,
    retryable: code === ioErrorCode,
    cause: error,
  });
}
