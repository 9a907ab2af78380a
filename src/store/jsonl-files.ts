/**
 * Append-only files of JSON lines: one writer per file, every append synced, a torn last line mended before the first
 * append, and reading from the end without touching the rest. Both `log.jsonl` and `context.jsonl` go through here.
 */
import type { FileHandle } from "node:fs/promises";
import { StoreError, systemCode } from "../base/errors.ts";
import { createKeyedQueue } from "../base/keyed-queue.ts";
import { type Grounds, type HeldFile, openToAppend, openToRead } from "./open-regular.ts";

/** A value and the length of its line in the file. */
export interface JsonlLine {
  value: unknown;
  bytes: number;
}

export interface JsonlFiles {
  /**
   * Adds values as lines, in order, and syncs. Returns the length of each one's line. The folder and file are made if missing,
   * also when somebody has taken them away since; `first` is then put before the values.
   */
  append(path: string, values: readonly unknown[], first?: unknown): Promise<number[]>;
  /**
   * From the last line backwards; lines that are not JSON are skipped and reported. Missing file: nothing.
   * `containing`: asked before each line; a line without that text is passed over unread.
   */
  backwards(path: string, containing?: () => string | undefined): AsyncGenerator<JsonlLine>;
  /** Values from the first line on, streamed. Missing file: nothing. */
  forwards(path: string): AsyncGenerator<unknown>;
  /** Closes the file and runs `work` (a rename, say) with nobody writing. */
  exclusively<T>(path: string, work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Told of every torn tail, of what stood in a file's or folder's place, and once per file of lines that are not JSON. */
export type OnDamage = (damage: { path: string; kind: "torn-tail" | "bad-line" | "set-aside"; detail: string }) => void;

const mostOpenFiles = 64;
/** Reads begin small and grow, so that a look at the end costs little and a long way is not many calls. */
const firstChunkBytes = 64 * 1024;
const mostChunkBytes = 1024 * 1024;
/** Nothing of ours is so long; a longer line is passed over instead of filling the memory. */
const mostLineBytes = 64 * 1024 * 1024;
const newline = 0x0a;

/** `root`: what the files lie below. */
export function createJsonlFiles(root: string, onDamage: OnDamage): JsonlFiles {
  const queue = createKeyedQueue();
  const grounds: Grounds = { root, onAside: (path, aside) => onDamage({ path, kind: "set-aside", detail: aside }) };
  /** In order of last use, so that the first is the one to close. */
  const held = new Map<string, HeldFile>();
  const reported = new Set<string>();

  const reportBadLine = (path: string, line: string) => {
    if (reported.has(path) || reported.size > 1000) return;
    reported.add(path);
    onDamage({ path, kind: "bad-line", detail: line.slice(0, 80) });
  };
  async function* readLines(
    path: string,
    linesOf: (file: FileHandle, onTooLong: () => void) => AsyncGenerator<Buffer>,
  ): AsyncGenerator<Buffer> {
    const file = await openToRead(root, path).catch((error: unknown) => {
      throw toFileError(path, error);
    });
    if (!file) return;
    try {
      yield* linesOf(file, () => reportBadLine(path, `more than ${mostLineBytes} bytes in one line`));
    } finally {
      await file.close();
    }
  }
  const forget = async (path: string) => {
    const file = held.get(path);
    held.delete(path);
    await file?.handle.close();
  };
  /** `isEmpty`: it was begun just now, or begun again. */
  const hold = async (path: string): Promise<{ file: HeldFile; isEmpty: boolean }> => {
    const known = held.get(path);
    if (known && (await known.isInPlace())) return { file: known, isEmpty: false };
    await forget(path);
    const file = await openToAppend(grounds, path);
    held.set(path, file);
    await mendTail(file.handle, grounds, path, onDamage);
    return { file, isEmpty: (await file.handle.stat()).size === 0 };
  };
  const openFor = async (path: string): Promise<{ handle: FileHandle; isEmpty: boolean }> => {
    const { file, isEmpty } = await hold(path);
    held.delete(path);
    held.set(path, file);
    if (held.size > mostOpenFiles) {
      const oldest = held.keys().next().value;
      if (oldest !== undefined) void queue.run(oldest, () => forget(oldest));
    }
    return { handle: file.handle, isEmpty };
  };

  return {
    append: (path, values, first) =>
      queue.run(path, async () => {
        const lines = values.map((value) => `${JSON.stringify(value)}\n`);
        try {
          const { handle, isEmpty } = await openFor(path);
          const start = isEmpty && first !== undefined ? `${JSON.stringify(first)}\n` : "";
          await handle.appendFile(start + lines.join(""));
          await handle.datasync();
          return lines.map((line) => Buffer.byteLength(line) - 1);
        } catch (error) {
          // Half a line may have been written: the next append must look at the tail again.
          await forget(path);
          throw toFileError(path, error);
        }
      }),
    async *backwards(path, containing) {
      for await (const bytes of readLines(path, (file, onTooLong) => linesBackwards(file, onTooLong, containing))) {
        const text = containing?.();
        if (text !== undefined && !bytes.includes(text)) continue;
        const line = bytes.toString("utf8");
        const value = parseLine(line);
        if (value === undefined) reportBadLine(path, line);
        else yield { value, bytes: bytes.length };
      }
    },
    async *forwards(path) {
      for await (const bytes of readLines(path, linesForwards)) {
        const line = bytes.toString("utf8");
        const value = parseLine(line);
        if (value === undefined) reportBadLine(path, line);
        else yield value;
      }
    },
    exclusively: (path, work) =>
      queue.run(path, async () => {
        await forget(path);
        return work();
      }),
    async close() {
      await queue.idle();
      await Promise.all([...held.keys()].map(forget));
    },
  };
}

/** Pieces of a line that crosses chunks. One that grows too long is let go. */
function createPieces(onTooLong: () => void): {
  add(piece: Buffer): void;
  take(order: "forwards" | "backwards"): Buffer;
} {
  let pieces: Buffer[] = [];
  let bytes = 0;
  return {
    add(piece) {
      bytes += piece.length;
      if (bytes > mostLineBytes) pieces = [];
      else if (piece.length > 0) pieces.push(piece);
    },
    take(order) {
      if (bytes > mostLineBytes) onTooLong();
      const taken = order === "forwards" ? pieces : pieces.reverse();
      const [only] = taken;
      pieces = [];
      bytes = 0;
      return taken.length === 1 && only ? only : Buffer.concat(taken);
    },
  };
}

/**
 * Lines without their end, last first. Reads as much of the file as is asked for. Empty lines are left out, and where a
 * whole chunk lacks the text that is looked for, so are the lines in it.
 */
async function* linesBackwards(
  file: FileHandle,
  onTooLong: () => void,
  containing?: () => string | undefined,
): AsyncGenerator<Buffer> {
  const pieces = createPieces(onTooLong);
  let chunkBytes = firstChunkBytes;
  for (let position = (await file.stat()).size; position > 0; chunkBytes = Math.min(2 * chunkBytes, mostChunkBytes)) {
    const length = Math.min(chunkBytes, position);
    position -= length;
    let chunk: Buffer = Buffer.allocUnsafe(length);
    const { bytesRead } = await file.read(chunk, 0, length, position);
    chunk = chunk.subarray(0, bytesRead);
    for (let at = chunk.lastIndexOf(newline); at !== -1; at = chunk.lastIndexOf(newline)) {
      pieces.add(chunk.subarray(at + 1));
      const line = pieces.take("backwards");
      chunk = chunk.subarray(0, at);
      if (line.length > 0) yield line;
      const text = containing?.();
      if (text === undefined) continue;
      // Straight to the line that has it; with none, only the first one may still go on further up.
      const found = chunk.lastIndexOf(text);
      const end = chunk.indexOf(newline, Math.max(0, found));
      if (end !== -1) chunk = chunk.subarray(0, end);
    }
    pieces.add(chunk);
  }
  const line = pieces.take("backwards");
  if (line.length > 0) yield line;
}

async function* linesForwards(file: FileHandle, onTooLong: () => void): AsyncGenerator<Buffer> {
  const pieces = createPieces(onTooLong);
  let chunkBytes = firstChunkBytes;
  for (let position = 0; ; chunkBytes = Math.min(2 * chunkBytes, mostChunkBytes)) {
    const buffer = Buffer.allocUnsafe(chunkBytes);
    const { bytesRead } = await file.read(buffer, 0, chunkBytes, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    let chunk = buffer.subarray(0, bytesRead);
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline)) {
      pieces.add(chunk.subarray(0, at));
      const line = pieces.take("forwards");
      chunk = chunk.subarray(at + 1);
      if (line.length > 0) yield line;
    }
    pieces.add(chunk);
  }
  const line = pieces.take("forwards");
  if (line.length > 0) yield line;
}

/**
 * A crash can leave half a line at the end. Appending to it would swallow the next one, so it is ended: a whole value
 * gets its newline, a fragment is cut off and kept in `<file>.torn`.
 */
async function mendTail(file: FileHandle, grounds: Grounds, path: string, onDamage: OnDamage): Promise<void> {
  const { size } = await file.stat();
  if (size === 0) return;
  const last = Buffer.alloc(1);
  await file.read(last, 0, 1, size - 1);
  if (last[0] === newline) return;
  // As bytes: a crash can also have torn a character.
  let tail: Buffer = Buffer.alloc(0);
  let isTooLong = false;
  const lines = linesBackwards(file, () => {
    isTooLong = true;
  });
  for await (const bytes of lines) {
    tail = bytes;
    break;
  }
  if (isTooLong || parseLine(tail.toString("utf8")) !== undefined) {
    await file.appendFile("\n");
  } else {
    const { handle: torn } = await openToAppend(grounds, `${path}.torn`);
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
