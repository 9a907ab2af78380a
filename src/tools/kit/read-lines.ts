/** Reads lines out of a file of any size in bounded memory: in parts, keeping only what was asked for. */
import { ToolError } from "../../base/errors.ts";
import type { Operations } from "../../contracts/sandbox.ts";

const partBytes = 256 * 1024;
const newline = 0x0a;

export interface LineRange {
  /** First line wanted, 1-based. */
  from: number;
  maxLines: number;
  maxBytes: number;
}

export interface ReadLines {
  text: string;
  /** Whole lines in `text`; the first may be there in part only. */
  lines: number;
  /** The first wanted line alone was longer than `maxBytes`. */
  isCutInLine: boolean;
  /** Something follows what was read. */
  hasMore: boolean;
  /** Lines in the file, where reading got to its end. */
  totalLines: number | undefined;
}

export async function readLines(
  operations: Operations,
  path: string,
  range: LineRange,
  signal: AbortSignal,
): Promise<ReadLines> {
  const collected: Uint8Array[] = [];
  let keptBytes = 0;
  let line = 1;
  let offset = 0;
  let endsWithNewline = true;
  /** True when the budget is spent; bytes over it are still kept until the end, to know that they exist. */
  const isFull = () => line >= range.from + range.maxLines || keptBytes > range.maxBytes;
  while (!isFull()) {
    if (signal.aborted) throw new ToolError("ABORTED", "Reading was stopped");
    const part = await operations.readFile(path, { offset, maxBytes: partBytes });
    if (part.length === 0) break;
    let at = 0;
    while (at < part.length && !isFull()) {
      const found = part.indexOf(newline, at);
      const end = found === -1 ? part.length : found + 1;
      if (line >= range.from) {
        collected.push(part.subarray(at, end));
        keptBytes += end - at;
      }
      endsWithNewline = found !== -1;
      if (found !== -1) line++;
      at = end;
    }
    offset += at;
  }
  const isAtEnd = (await operations.readFile(path, { offset, maxBytes: 1 })).length === 0;
  const bytes = Buffer.concat(collected);
  const totalLines = isAtEnd ? (endsWithNewline ? line - 1 : line) : undefined;
  return { ...fitToBudget(bytes, range.maxBytes), hasMore: !isAtEnd || bytes.length > range.maxBytes, totalLines };
}

/** Whole lines within the budget; where not even one fits, the beginning of the first. */
function fitToBudget(bytes: Buffer, maxBytes: number): Pick<ReadLines, "text" | "lines" | "isCutInLine"> {
  if (bytes.length <= maxBytes) return { text: decode(bytes), lines: countLines(bytes), isCutInLine: false };
  const lastNewline = bytes.lastIndexOf(newline, maxBytes - 1);
  if (lastNewline !== -1) {
    const kept = bytes.subarray(0, lastNewline + 1);
    return { text: decode(kept), lines: countLines(kept), isCutInLine: false };
  }
  let end = maxBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return { text: decode(bytes.subarray(0, end)), lines: 1, isCutInLine: true };
}

const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

function countLines(bytes: Buffer): number {
  let count = bytes.length > 0 && bytes.at(-1) !== newline ? 1 : 0;
  for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1)) count++;
  return count;
}
