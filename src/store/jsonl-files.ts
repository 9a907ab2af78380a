/**
 * Append-only files of JSON lines: one writer per file, every append synced, a torn last line mended before the first
 * append, and reading from the end without touching the rest. Both `log.jsonl` and `context.jsonl` go through here.
 */
import { type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { StoreError, systemCode } from "../base/errors.ts";
import { createKeyedQueue } from "../base/keyed-queue.ts";

export interface JsonlFiles {
  /** Adds values as lines, in order, and syncs. The folder and file are made if missing. Returns the bytes written. */
  append(path: string, values: readonly unknown[]): Promise<number>;
  /** Values from the last line backwards; lines that are not JSON are skipped and reported. Missing file: nothing. */
  backwards(path: string): AsyncGenerator<unknown>;
  /** Values from the first line on, streamed. Missing file: nothing. */
  forwards(path: string): AsyncGenerator<unknown>;
  /** Closes the file and runs `work` (a rename, say) with nobody writing. */
  exclusively<T>(path: string, work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Told of every torn tail, and once per file of lines that are not JSON. */
export type OnDamage = (damage: { path: string; kind: "torn-tail" | "bad-line"; detail: string }) => void;

const mostOpenFiles = 64;
const chunkBytes = 64 * 1024;
const newline = 0x0a;

export function createJsonlFiles(onDamage: OnDamage): JsonlFiles {
  const queue = createKeyedQueue();
  /** In order of last use, so that the first is the one to close. */
  const handles = new Map<string, FileHandle>();
  const reported = new Set<string>();

  const reportBadLine = (path: string, line: string) => {
    if (reported.has(path) || reported.size > 1000) return;
    reported.add(path);
    onDamage({ path, kind: "bad-line", detail: line.slice(0, 80) });
  };
  const forget = async (path: string) => {
    const handle = handles.get(path);
    handles.delete(path);
    await handle?.close();
  };
  const handleFor = async (path: string): Promise<FileHandle> => {
    // A file that somebody has deleted takes our lines nowhere: it is begun again.
    if (handles.has(path) && (await handles.get(path)?.stat())?.nlink === 0) await forget(path);
    let handle = handles.get(path);
    if (handle) handles.delete(path);
    else {
      await mkdir(dirname(path), { recursive: true });
      handle = await open(path, "a+");
      await mendTail(handle, path, onDamage);
    }
    handles.set(path, handle);
    if (handles.size > mostOpenFiles) {
      const oldest = handles.keys().next().value;
      if (oldest !== undefined) void queue.run(oldest, () => forget(oldest));
    }
    return handle;
  };

  return {
    append: (path, values) =>
      queue.run(path, async () => {
        const text = values.map((value) => `${JSON.stringify(value)}\n`).join("");
        try {
          const handle = await handleFor(path);
          await handle.appendFile(text);
          await handle.datasync();
          return Buffer.byteLength(text);
        } catch (error) {
          // Half a line may have been written: the next append must look at the tail again.
          await forget(path);
          throw toFileError(path, error);
        }
      }),
    async *backwards(path) {
      for await (const bytes of linesBackwards(path)) {
        const line = bytes.toString("utf8");
        const value = parseLine(line);
        if (value === undefined) reportBadLine(path, line);
        else yield value;
      }
    },
    async *forwards(path) {
      const file = await openIfThere(path);
      if (!file) return;
      try {
        for await (const line of file.readLines({ encoding: "utf8", autoClose: false })) {
          if (line === "") continue;
          const value = parseLine(line);
          if (value === undefined) reportBadLine(path, line);
          else yield value;
        }
      } finally {
        await file.close();
      }
    },
    exclusively: (path, work) =>
      queue.run(path, async () => {
        await forget(path);
        return work();
      }),
    async close() {
      await queue.idle();
      await Promise.all([...handles.keys()].map(forget));
    },
  };
}

/** Lines without their end, last first. Reads as much of the file as is asked for. */
async function* linesBackwards(path: string): AsyncGenerator<Buffer> {
  const file = await openIfThere(path);
  if (!file) return;
  try {
    let position = (await file.stat()).size;
    /** The end of a line whose start lies further up, last piece first. */
    let rest: Buffer[] = [];
    while (position > 0) {
      const length = Math.min(chunkBytes, position);
      position -= length;
      let chunk: Buffer = Buffer.alloc(length);
      await file.read(chunk, 0, length, position);
      for (let at = chunk.lastIndexOf(newline); at !== -1; at = chunk.lastIndexOf(newline)) {
        const line = Buffer.concat([chunk.subarray(at + 1), ...rest.reverse()]);
        rest = [];
        chunk = chunk.subarray(0, at);
        if (line.length > 0) yield line;
      }
      if (chunk.length > 0) rest.push(chunk);
    }
    if (rest.length > 0) yield Buffer.concat(rest.reverse());
  } finally {
    await file.close();
  }
}

/**
 * A crash can leave half a line at the end. Appending to it would swallow the next one, so it is ended: a whole value
 * gets its newline, a fragment is cut off and kept in `<file>.torn`.
 */
async function mendTail(file: FileHandle, path: string, onDamage: OnDamage): Promise<void> {
  const { size } = await file.stat();
  if (size === 0) return;
  const last = Buffer.alloc(1);
  await file.read(last, 0, 1, size - 1);
  if (last[0] === newline) return;
  // As bytes: a crash can also have torn a character.
  let tail: Buffer = Buffer.alloc(0);
  for await (const bytes of linesBackwards(path)) {
    tail = bytes;
    break;
  }
  if (parseLine(tail.toString("utf8")) !== undefined) {
    await file.appendFile("\n");
  } else {
    const torn = await open(`${path}.torn`, "a");
    try {
      await torn.appendFile(Buffer.concat([tail, Buffer.from([newline])]));
      await torn.sync();
    } finally {
      await torn.close();
    }
    await file.truncate(size - tail.length);
  }
  await file.sync();
  onDamage({ path, kind: "torn-tail", detail: `${tail.length} bytes` });
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, "r");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw toFileError(path, error);
  }
}

function toFileError(path: string, error: unknown): unknown {
  const code = systemCode(error);
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new StoreError("DISK_FULL", `The disk is full: ${path} cannot grow`, {
      hint: "Free some space; mom goes on by itself. Nothing that was acknowledged is lost.",
      retryable: true,
      cause: error,
    });
  }
  if (code === "EACCES" || code === "EPERM" || code === "EROFS") {
    return new StoreError("STORE_NOT_WRITABLE", `${path} cannot be written (${code})`, {
      hint: "Give the user that runs mom write access to the data directory, or choose another with --data.",
      cause: error,
    });
  }
  return error;
}
