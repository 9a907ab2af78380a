/**
 * One mom per data directory. The lock is a file lock that the system drops when the process dies, however it dies, so a
 * stale lock cannot exist; a small file beside it says who holds it.
 */
import { readFileSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { DatabaseSync } from "node:sqlite";
import { StoreError } from "../base/errors.ts";
import type { Layout } from "./layout.ts";

export interface LockHolder {
  pid: number;
  host: string;
  /** ISO 8601. */
  startedAt: string;
}

export interface ProcessLock {
  /** The run before this one did not end cleanly. */
  afterCrash: boolean;
  /** `clean`: nothing is left for the next start to look into. */
  release(end: { clean: boolean }): void;
}

export async function takeProcessLock(layout: Layout, nowMs: number): Promise<ProcessLock> {
  // SQLite's own file locking, because Node has no other portable lock that ends with the process.
  let lock: DatabaseSync;
  try {
    // Long enough for another command that only looks whether somebody holds it.
    lock = new DatabaseSync(layout.lockPath, { timeout: 500 });
  } catch (error) {
    throw new StoreError("STORE_NOT_WRITABLE", `${layout.lockPath} cannot be opened for writing`, {
      hint: "Give the user that runs mom write access to the data directory, or choose another with --data.",
      cause: error,
    });
  }
  try {
    lock.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    lock.close();
    throw lockedError(layout, error);
  }
  const afterCrash = readHolder(layout) !== undefined;
  const holder: LockHolder = { pid: process.pid, host: hostname(), startedAt: new Date(nowMs).toISOString() };
  try {
    await writeFile(layout.runningPath, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  } catch (error) {
    lock.close();
    throw new StoreError("STORE_NOT_WRITABLE", `${layout.runningPath} cannot be written`, {
      hint: "Free some space on the disk, or give mom write access to the data directory.",
      cause: error,
    });
  }
  return {
    afterCrash,
    release({ clean }) {
      if (clean) rmSync(layout.runningPath, { force: true });
      lock.close();
    },
  };
}

/** Who holds the directory, by its own word; undefined when nobody left a word. Not proof that it is alive. */
export function readHolder(layout: Layout): LockHolder | undefined {
  try {
    const holder: unknown = JSON.parse(readFileSync(layout.runningPath, "utf8"));
    if (typeof holder !== "object" || holder === null) return undefined;
    const { pid, host, startedAt } = holder as Partial<LockHolder>;
    if (typeof pid !== "number" || typeof host !== "string" || typeof startedAt !== "string") return undefined;
    return { pid, host, startedAt };
  } catch {
    return undefined;
  }
}

/** Is a mom running on this directory right now? Asks the lock itself. */
export function isLocked(layout: Layout): boolean {
  try {
    const lock = new DatabaseSync(layout.lockPath, { timeout: 0 });
    try {
      lock.exec("BEGIN EXCLUSIVE; ROLLBACK");
      return false;
    } finally {
      lock.close();
    }
  } catch (error) {
    return error instanceof Error && "errcode" in error && Number(error.errcode) === 5;
  }
}

function lockedError(layout: Layout, cause: unknown): StoreError {
  const holder = readHolder(layout);
  const who = holder ? `process ${holder.pid} on ${holder.host}, running since ${holder.startedAt}` : "another process";
  return new StoreError("DATA_DIR_IN_USE", `${layout.dataDir} is in use by ${who}`, {
    hint: "Talk to that one with `mom chat` or in the browser, stop it first, or use another data directory.",
    cause,
  });
}
