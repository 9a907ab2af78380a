/**
 * `auth.json`: keys and logins, and how they have fared. Several processes may hold it (a running mom and `mom auth`), so
 * every change is made under a lock, on what the file says at that moment, and replaces it in one piece. It holds secrets:
 * only its owner may read it, nothing of its text gets into a message, and what mom cannot read she never overwrites.
 */
import { lstat, readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { writeFileAtomic } from "../base/atomic-file.ts";
import { AuthError, systemCode } from "../base/errors.ts";
import { createKeyedQueue } from "../base/keyed-queue.ts";
import type { AuthData, AuthStore } from "../contracts/auth.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";
import { formatAuthDocument, parseAuthDocument } from "./auth-document.ts";
import { takeFileLock } from "./file-lock.ts";
import { readPrivateFile } from "./private-file.ts";

export interface AuthFileDeps {
  path: string;
  clock: Clock;
  log: Log;
  /** How long to wait for another process that is changing the file. Absent: half a minute. */
  lockWaitMs?: number;
}

interface Seen {
  mark: string;
  data: AuthData;
}

const defaultLockWaitMs = 30_000;

/** A file younger than this may change again without its time changing: it is not remembered. */
const unsettledMs = 50;

export function createAuthFile({ path, clock, log, lockWaitMs = defaultLockWaitMs }: AuthFileDeps): AuthStore {
  const queue = createKeyedQueue();
  let seen: Seen | undefined;
  let isTidied = false;

  const told = new Set<string>();

  const read = async (options?: { forWriting: true }) => {
    const file = await readPrivateFile(path, log, options);
    const document = parseAuthDocument(file?.text, path);
    for (const profile of Object.keys(document.unknownProfiles)) {
      if (told.has(profile)) continue;
      told.add(profile);
      log.warn("a profile in auth.json is of a kind that this mom does not know; it is left alone", { profile });
    }
    return document;
  };
  const tidy = async () => {
    if (isTidied) return;
    isTidied = true;
    await removeLeftovers(path);
  };

  return {
    async load() {
      const mark = await lookAt(path);
      if (mark === undefined) return parseAuthDocument(undefined, path).data;
      if (seen?.mark === mark.text) return seen.data;
      const { data } = await read();
      seen = clock.now() - mark.changedAt > unsettledMs ? { mark: mark.text, data: deepFreeze(data) } : undefined;
      return data;
    },
    update: (change) =>
      queue.run(path, async () => {
        const lock = await takeFileLock({ path: `${path}.lock`, clock, waitMs: lockWaitMs });
        try {
          await tidy();
          const document = await read({ forWriting: true });
          const before = JSON.stringify(document.data);
          const result = await change(document.data);
          if (JSON.stringify(document.data) !== before) await write(path, formatAuthDocument(document));
          return result;
        } finally {
          lock.release();
        }
      }),
  };
}

async function write(path: string, text: string): Promise<void> {
  try {
    await writeFileAtomic(path, text, { mode: 0o600 });
  } catch (error) {
    throw new AuthError("AUTH_FILE_NOT_WRITABLE", `${path} cannot be written (${systemCode(error) ?? "unknown"}).`, {
      hint: "Free some space on the disk, or give the user that runs mom write access to the folder.",
      cause: error,
    });
  }
}

/** What changes whenever the file does. Undefined: there is none. */
async function lookAt(path: string): Promise<{ text: string; changedAt: number } | undefined> {
  try {
    const { ino, size, mtimeNs, ctimeNs, mtimeMs, mode } = await lstat(path, { bigint: true });
    return { text: [ino, size, mtimeNs, ctimeNs, mode].join(":"), changedAt: Number(mtimeMs) };
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw new AuthError("AUTH_FILE_UNREADABLE", `${path} cannot be read (${systemCode(error) ?? "unknown"}).`, {
      hint: "Run mom as the user who owns the data directory.",
      cause: error,
    });
  }
}

/** Half-written copies of a process that was killed: they hold secrets. Nobody else writes while the lock is held. */
async function removeLeftovers(path: string): Promise<void> {
  const isLeftover = (name: string) => name.startsWith(`${basename(path)}.`) && name.endsWith(".tmp");
  const names = await readdir(dirname(path)).catch(() => []);
  await Promise.all(names.filter(isLeftover).map((name) => rm(join(dirname(path), name), { force: true })));
}

/** What is handed out more than once must not change under anyone's hands. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
