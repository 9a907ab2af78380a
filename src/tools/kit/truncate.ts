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
  return truncate(text, limits, {
    nextLine: (from, end) => {
      const lineEnd = text.indexOf("\n", from);
      const to = lineEnd === -1 || lineEnd > end ? end : lineEnd;
      return { line: [from, to], rest: [to + 1, end] };
    },
    cutLine: cutHead,
  });
}

/** Keeps the end. A last line that alone is too long keeps its end. */
export function truncateTail(text: string, limits: TruncateLimits = {}): Truncated {
  return truncate(text, limits, {
    nextLine: (start, to) => {
      const from = to === 0 ? 0 : text.lastIndexOf("\n", to - 1) + 1;
      return { line: [from, to], rest: [start, from - 1] };
    },
    cutLine: cutTail,
  });
}

/** From the first character to before the last. */
type Span = [from: number, to: number];

interface Side {
  /** The line at this side of a stretch of text, and what is left of it then: an end before its beginning if nothing is. */
  nextLine(from: number, to: number): { line: Span; rest: Span };
  cutLine(line: string, maxBytes: number): string;
}

/** Looks only at the lines that are kept, however many there are: output can be megabytes of line ends. */
function truncate(text: string, limits: TruncateLimits, { nextLine, cutLine }: Side): Truncated {
  const { maxLines = maxResultLines, maxBytes = maxResultBytes } = limits;
  // A newline ends a line; it does not begin an empty one.
  let rest: Span = [0, text.endsWith("\n") ? text.length - 1 : text.length];
  let kept: Span | undefined;
  let keptLines = 0;
  const isLeft = () => text !== "" && rest[0] <= rest[1];
  for (let bytes = 0; isLeft() && keptLines < maxLines; keptLines++) {
    const next = nextLine(...rest);
    const [from, to] = next.line;
    // Every character has a byte at least.
    bytes += to - from > maxBytes ? to - from : Buffer.byteLength(text.slice(from, to));
    if (bytes > maxBytes) break;
    bytes++;
    kept = [Math.min(from, kept?.[0] ?? from), Math.max(to, kept?.[1] ?? to)];
    rest = next.rest;
  }
  if (!isLeft()) return { text, keptLines, totalLines: keptLines, cutBy: undefined };
  const part = kept === undefined ? cutLine(text.slice(...nextLine(...rest).line), maxBytes) : text.slice(...kept);
  return {
    // A true copy: a mere slice would keep all of the text in memory.
    text: structuredClone(part),
    keptLines: Math.max(keptLines, 1),
    // Few ask, and it takes longer than the cut.
    get totalLines() {
      return countLines(text);
    },
    cutBy: keptLines === maxLines ? "lines" : "bytes",
  };
}

const newline = 10;

function countLines(text: string): number {
  let count = text.endsWith("\n") ? 0 : 1;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) === newline) count++;
  return count;
}

/** The first bytes of a text, no character cut in two. */
export function cutHead(text: string, maxBytes: number): string {
  // No character has less than a byte; one that this cuts in two is beyond the bytes.
  const bytes = Buffer.from(text.slice(0, maxBytes));
  let end = Math.min(maxBytes, bytes.length);
  while (end > 0 && end < bytes.length && isContinuation(bytes[end])) end--;
  return bytes.toString("utf8", 0, end);
}

/** The last bytes of a text, no character cut in two. */
export function cutTail(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text.slice(Math.max(0, text.length - maxBytes)));
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
