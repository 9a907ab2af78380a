/** Reads the log file that the app writes: the last lines, over its rotated parts, and what comes after them. */
import { type FileHandle, open } from "node:fs/promises";
import { StringDecoder } from "node:string_decoder";
import { StoreError, systemCode } from "../base/errors.ts";
import type { Clock } from "../contracts/clock.ts";

const lookEveryMs = 250;
const chunkBytes = 64 * 1024;

export interface LogTail {
  /** Oldest first, whole lines only. */
  lines: string[];
  /** Where the next line of the current file begins, and which file that is; undefined when there is none. */
  end: { inode: bigint; offset: number } | undefined;
}

export async function readLogTail(path: string, count: number): Promise<LogTail> {
  let lines: string[] = [];
  let end: LogTail["end"];
  for (let age = 0; lines.length < count; age++) {
    const file = await openIfThere(age === 0 ? path : `${path}.${age}`);
    // The current file may be missing for a moment, in the middle of a rotation.
    if (!file && age > 0) break;
    if (!file) continue;
    try {
      const { ino } = await file.stat({ bigint: true });
      const text = await file.readFile("utf8");
      const whole = text.slice(0, text.lastIndexOf("\n") + 1);
      if (age === 0) end = { inode: ino, offset: Buffer.byteLength(whole) };
      lines = [...whole.split("\n").filter((line) => line !== ""), ...lines];
    } finally {
      await file.close();
    }
  }
  return { lines: lines.slice(-count), end };
}

export interface FollowDeps {
  path: string;
  clock: Clock;
  /** Ends it. */
  signal: AbortSignal;
  onLine(line: string): void;
}

/** Goes on from `end` until aborted, also when the file is rotated, cut or made anew. */
export async function followLog({ path, clock, signal, onLine }: FollowDeps, end: LogTail["end"]): Promise<void> {
  let current = end && (await reopen(path, end, onLine));
  try {
    while (!signal.aborted) {
      await current?.drain();
      const next = await openIfThere(path);
      const isOther = next !== undefined && !(await current?.is(next));
      if (isOther) {
        // Whoever rotated has written its last line into the old file before; what came since the look above is taken too.
        await current?.drain();
        await current?.close();
        current = await createFollower(next, 0, onLine);
      } else {
        await next?.close();
        await clock.sleep(lookEveryMs, signal).catch(() => undefined);
      }
    }
  } finally {
    await current?.close();
  }
}

/** The file that the tail ended in: it may have been rotated away in the meantime. */
async function reopen(
  path: string,
  { inode, offset }: NonNullable<LogTail["end"]>,
  onLine: (line: string) => void,
): Promise<Follower | undefined> {
  for (const name of [path, `${path}.1`]) {
    const file = await openIfThere(name);
    if (!file) continue;
    if ((await file.stat({ bigint: true })).ino === inode) return createFollower(file, offset, onLine);
    await file.close();
  }
  return undefined;
}

interface Follower {
  /** Passes on every whole line that has been added. */
  drain(): Promise<void>;
  is(other: FileHandle): Promise<boolean>;
  close(): Promise<void>;
}

async function createFollower(file: FileHandle, from: number, onLine: (line: string) => void): Promise<Follower> {
  const { ino } = await file.stat({ bigint: true });
  const buffer = Buffer.alloc(chunkBytes);
  let decoder = new StringDecoder("utf8");
  let offset = from;
  let rest = "";
  return {
    async drain() {
      if ((await file.stat()).size < offset) {
        decoder = new StringDecoder("utf8");
        [offset, rest] = [0, ""];
      }
      for (;;) {
        const { bytesRead } = await file.read(buffer, 0, chunkBytes, offset);
        if (bytesRead === 0) return;
        offset += bytesRead;
        const lines = (rest + decoder.write(buffer.subarray(0, bytesRead))).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) if (line !== "") onLine(line);
      }
    },
    is: async (other) => (await other.stat({ bigint: true })).ino === ino,
    close: () => file.close(),
  };
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, "r");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw new StoreError("LOG_UNREADABLE", `${path} cannot be read (${systemCode(error) ?? "unknown"})`, {
      hint: "Run this as the user that mom runs as.",
      cause: error,
    });
  }
}
