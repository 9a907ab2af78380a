/**
 * A lock between processes that is held for a moment. Like `process-lock.ts` it is a lock of the system on a file, through
 * SQLite: it ends with the process that holds it, however that ends, so none is ever stale. Waiting blocks nobody.
 */
import { DatabaseSync } from "node:sqlite";
import { AuthError } from "../base/errors.ts";
import type { Clock } from "../contracts/clock.ts";

const lookEveryMs = 20;
const sqliteBusy = 5;

export interface FileLock {
  release(): void;
}

/** Throws `AUTH_FILE_LOCKED` when another process holds it for longer than `waitMs`. The folder must exist. */
export async function takeFileLock(wanted: { path: string; clock: Clock; waitMs: number }): Promise<FileLock> {
  const { path, clock, waitMs } = wanted;
  const giveUpAt = clock.monotonic() + waitMs;
  for (;;) {
    const lock = tryLock(path);
    if (lock) return lock;
    if (clock.monotonic() >= giveUpAt) {
      throw new AuthError("AUTH_FILE_LOCKED", `Another process has held ${path} for ${Math.round(waitMs / 1000)} s.`, {
        hint: "Another mom is changing auth.json. Try again; if it goes on, look for a mom that hangs and stop it.",
        retryable: true,
      });
    }
    await clock.sleep(lookEveryMs);
  }
}

function tryLock(path: string): FileLock | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: 0 });
    // No journal beside it: nothing is ever written.
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    const held = database;
    return { release: () => held.close() };
  } catch (error) {
    database?.close();
    if (error instanceof Error && "errcode" in error && Number(error.errcode) === sqliteBusy) return undefined;
    throw new AuthError("AUTH_FILE_NOT_WRITABLE", `${path} cannot be made or locked.`, {
      hint: "Give the user that runs mom write access to the data directory.",
      cause: error,
    });
  }
}
