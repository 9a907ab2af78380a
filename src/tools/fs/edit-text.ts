/** The work of `edit` without the disk: bytes in, bytes out or why not. Runs beside the turns for large files (`text-work.ts`). */
import { decodeText } from "./decode-text.ts";
import { type Change, describeChange } from "./describe-change.ts";
import { findMatches, type TextRange } from "./match-text.ts";
import { findNearestLines, type NearLine } from "./nearest-lines.ts";
import { lineNumberAt, pickLineEnd } from "./text-lines.ts";

export interface EditJob {
  bytes: Uint8Array;
  oldText: string;
  newText: string;
  replaceAll: boolean;
  diffTimeoutMs: number;
}

export type EditOutcome =
  | ({ type: "edited"; text: string; replacements: number; isTolerant: boolean } & Change)
  | { type: "not_text" }
  | { type: "not_found"; isEmpty: boolean; nearest: NearLine[] }
  /** `lines`: where the first of them stand. */
  | { type: "not_unique"; count: number; lines: number[] }
  | { type: "no_change" };

const maxLinesNamed = 10;

export function editText({ bytes, oldText, newText, replaceAll, diffTimeoutMs }: EditJob): EditOutcome {
  const before = decodeText(bytes);
  if (before === undefined) return { type: "not_text" };
  const { ranges, isTolerant } = findMatches(before, oldText);
  if (ranges.length === 0) {
    return { type: "not_found", isEmpty: before === "", nearest: findNearestLines(before, oldText, 3) };
  }
  if (ranges.length > 1 && !replaceAll) {
    const lines = ranges.slice(0, maxLinesNamed).map(({ start }) => lineNumberAt(before, start));
    return { type: "not_unique", count: ranges.length, lines };
  }
  const text = replaceRanges(before, ranges, newText);
  if (text === before) return { type: "no_change" };
  return {
    type: "edited",
    text,
    replacements: ranges.length,
    isTolerant,
    ...describeChange(before, text, diffTimeoutMs),
  };
}

function replaceRanges(text: string, ranges: TextRange[], newText: string): string {
  const newLines = newText.replaceAll("\r\n", "\n").split("\n");
  const usual = pickLineEnd(text);
  const lineEnd = usual === "\r" ? /\r/g : /\r?\n/g;
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of ranges) {
    // A line break of the new text ends as the one in its place did, so that files of mixed kinds change no more than asked.
    const ends = text.slice(start, end).match(lineEnd) ?? [];
    parts.push(text.slice(from, start));
    for (const [i, line] of newLines.entries()) parts.push(line, i < newLines.length - 1 ? (ends[i] ?? usual) : "");
    from = end;
  }
  parts.push(text.slice(from));
  return parts.join("");
}
