/** Cuts text to what a model should read: whole lines, from the front or from the back. */
import { maxResultBytes, maxResultLines } from "./limits.ts";

export interface TruncateLimits {
  maxLines?: number;
  maxBytes?: number;
}

export interface Truncated {
  text: string;
  /** Lines kept, the only one possibly in part. */
  keptLines: number;
  totalLines: number;
  /** What the cut was made for; undefined when nothing was cut. */
  cutBy: "lines" | "bytes" | undefined;
}

/** Keeps the beginning. A first line that alone is too long is kept in part. */
export function truncateHead(text: string, limits: TruncateLimits = {}): Truncated {
  const { maxLines = maxResultLines, maxBytes = maxResultBytes } = limits;
  const lines = splitLines(text);
  const keep = countFitting(lines, maxLines, maxBytes);
  if (keep === lines.length) return whole(text, lines);
  const kept = keep === 0 ? [cutHead(lines[0] ?? "", maxBytes)] : lines.slice(0, keep);
  return cut(kept, lines, keep, maxLines);
}

/** Keeps the end. A last line that alone is too long keeps its end. */
export function truncateTail(text: string, limits: TruncateLimits = {}): Truncated {
  const { maxLines = maxResultLines, maxBytes = maxResultBytes } = limits;
  const lines = splitLines(text);
  const keep = countFitting(lines.toReversed(), maxLines, maxBytes);
  if (keep === lines.length) return whole(text, lines);
  const kept = keep === 0 ? [cutTail(lines.at(-1) ?? "", maxBytes)] : lines.slice(-keep);
  return cut(kept, lines, keep, maxLines);
}

const whole = (text: string, lines: string[]): Truncated => ({
  text,
  keptLines: lines.length,
  totalLines: lines.length,
  cutBy: undefined,
});

const cut = (kept: string[], lines: string[], fitting: number, maxLines: number): Truncated => ({
  text: kept.join("\n"),
  keptLines: kept.length,
  totalLines: lines.length,
  cutBy: fitting === maxLines ? "lines" : "bytes",
});

/** A newline ends a line; it does not begin an empty one. */
function splitLines(text: string): string[] {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

function countFitting(lines: string[], maxLines: number, maxBytes: number): number {
  let bytes = 0;
  let count = 0;
  for (const line of lines) {
    bytes += Buffer.byteLength(line) + 1;
    if (count === maxLines || bytes > maxBytes + 1) break;
    count++;
  }
  return count;
}

/** The first bytes of a text, no character cut in two. */
export function cutHead(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  let end = Math.min(maxBytes, bytes.length);
  while (end > 0 && end < bytes.length && isContinuation(bytes[end])) end--;
  return bytes.toString("utf8", 0, end);
}

/** The last bytes of a text, no character cut in two. */
export function cutTail(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  let start = Math.max(0, bytes.length - maxBytes);
  while (start < bytes.length && isContinuation(bytes[start])) start++;
  return bytes.toString("utf8", start);
}

const isContinuation = (byte: number | undefined) => ((byte ?? 0) & 0xc0) === 0x80;

/** One line of at most `maxLength` characters. */
export function shortenLine(line: string, maxLength: number): string {
  if (line.length <= maxLength) return line;
  const characters = [...line];
  return characters.length <= maxLength ? line : `${characters.slice(0, maxLength).join("")}…`;
}
