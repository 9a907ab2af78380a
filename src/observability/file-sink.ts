/**
 * Appends the log to a file as JSON lines and rotates it by size: `mom.log`, `mom.log.1` … One writer works through what
 * waits; it never blocks the caller and never throws. When the disk is full or the folder cannot be written, lines are
 * dropped and counted, and the count is written as soon as writing works again.
 */
import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { errorText, systemCode } from "../base/errors.ts";
import { formatJsonLine } from "./format-json-line.ts";
import type { LogRecord, LogSink } from "./log-record.ts";

export interface FileSinkOptions {
  /** A file is rotated before it would grow beyond it. */
  maxBytes?: number;
  /** Files kept, the current one included. */
  maxFiles?: number;
  /** Characters that may wait for the disk. */
  maxWaiting?: number;
}

export interface FileSink extends LogSink {
  /** Lines lost since the start. */
  readonly droppedLines: number;
}

export function createFileSink(path: string, options: FileSinkOptions = {}): FileSink {
  const { maxBytes = 5 * 1_048_576, maxFiles = 5, maxWaiting = 2 * 1_048_576 } = options;
  let waiting: string[] = [];
  let waitingLength = 0;
  let writing: Promise<void> | undefined;
  let isClosed = false;
  let hasCleanTail = false;
  let droppedLines = 0;
  let lastAt = 0;
  let unsaid: Drops = { lines: 0, reason: "", at: 0 };

  function drop(lines: number, reason: string, at: number): void {
    droppedLines += lines;
    unsaid = { lines: unsaid.lines + lines, reason, at };
  }

  function write(record: LogRecord): void {
    if (isClosed) return;
    lastAt = record.at;
    const line = formatJsonLine(record, { stacks: true });
    if (waitingLength + line.length > maxWaiting) {
      drop(1, "more lines than the disk can take", record.at);
      return;
    }
    waiting.push(line);
    waitingLength += line.length;
    writing ??= writeWaiting();
  }

  async function writeWaiting(): Promise<void> {
    // Lines of the same moment go out together.
    await Promise.resolve();
    while (waiting.length > 0) {
      const lines = waiting;
      const said = unsaid;
      waiting = [];
      waitingLength = 0;
      try {
        await append((said.lines > 0 ? formatDropNote(said) : "") + lines.join(""));
        hasCleanTail = true;
        unsaid = { ...unsaid, lines: unsaid.lines - said.lines };
      } catch (error) {
        hasCleanTail = false;
        drop(lines.length, systemCode(error) ?? errorText(error), lastAt);
      }
    }
    writing = undefined;
  }

  /** Opens anew each time: the file may have been moved, deleted or taken away with its folder since. */
  async function append(text: string): Promise<void> {
    let file = await openForAppend(path);
    try {
      let { size } = await file.stat();
      if (size > 0 && size + Buffer.byteLength(text) > maxBytes) {
        await file.close();
        await rotate(path, maxFiles);
        file = await openForAppend(path);
        size = 0;
      }
      const isTorn = !hasCleanTail && size > 0 && (await readLastByte(file, size)) !== 0x0a;
      await file.appendFile(isTorn ? `\n${text}` : text);
    } finally {
      await file.close();
    }
  }

  return {
    write,
    get droppedLines() {
      return droppedLines;
    },
    async flush() {
      await writing;
    },
    async close() {
      isClosed = true;
      await writing;
    },
  };
}

type LogFile = Awaited<ReturnType<typeof open>>;

async function openForAppend(path: string): Promise<LogFile> {
  try {
    return await open(path, "a+", 0o600);
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return open(path, "a+", 0o600);
  }
}

async function readLastByte(file: LogFile, size: number): Promise<number | undefined> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return bytesRead === 1 ? buffer[0] : undefined;
}

async function rotate(path: string, maxFiles: number): Promise<void> {
  const names = Array.from({ length: maxFiles }, (_, age) => (age === 0 ? path : `${path}.${age}`));
  await rm(names.at(-1) ?? path, { force: true });
  for (let age = maxFiles - 2; age >= 0; age--) {
    try {
      await rename(names[age] ?? path, names[age + 1] ?? path);
    } catch (error) {
      if (systemCode(error) !== "ENOENT") throw error;
    }
  }
}

interface Drops {
  lines: number;
  reason: string;
  /** When the last of them was lost. */
  at: number;
}

function formatDropNote({ lines, reason, at }: Drops): string {
  const record = { at, level: "warn" as const, text: "log lines were dropped", fields: { dropped: lines, reason } };
  return formatJsonLine(record, { stacks: false });
}
