/** Looks at the database of a data directory without changing anything, for `mom doctor`. Works beside a running mom. */
import { existsSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { errorText } from "../base/errors.ts";
import { migrations } from "./migrations.ts";

export type DatabaseState =
  | { type: "sound"; schema: number }
  | { type: "missing" }
  /** Written by a newer mom. */
  | { type: "too-new"; schema: number; known: number }
  | { type: "damaged"; detail: string };

/** Reads every page: seconds for a database of gigabytes. */
export function inspectDatabase(path: string): DatabaseState {
  if (!existsSync(path)) return { type: "missing" };
  try {
    const db = new DatabaseSync(toAddress(path), { readOnly: true, timeout: 2000 });
    try {
      const verdict = firstValue(db, "PRAGMA integrity_check(1)");
      if (verdict !== "ok") return { type: "damaged", detail: String(verdict) };
      const schema = Number(firstValue(db, "PRAGMA user_version"));
      const known = migrations.length;
      return schema > known ? { type: "too-new", schema, known } : { type: "sound", schema };
    } finally {
      db.close();
    }
  } catch (error) {
    return { type: "damaged", detail: errorText(error) };
  }
}

/** A reader makes side files where there are none, and cannot remove them; a database at rest is read without. */
function toAddress(path: string): URL {
  const address = pathToFileURL(path);
  const isAtRest = !existsSync(`${path}-wal`) || statSync(`${path}-wal`).size === 0;
  if (isAtRest) address.searchParams.set("immutable", "1");
  return address;
}

const firstValue = (db: DatabaseSync, sql: string): unknown => Object.values(db.prepare(sql).get() ?? {})[0];
