/** What changed between two versions of a text, for people: a unified diff and the first line that differs. */
import { formatPatch, OMIT_HEADERS, structuredPatch } from "diff";
import { truncateHead } from "../kit/truncate.ts";
import { lineNumberAt } from "./text-lines.ts";

export interface Change {
  /** 1-based, in the new version. */
  firstLine: number;
  /** Unified, without file names. Empty when it took too long to compute. */
  diff: string;
}

const contextLines = 3;

/** Only what lies between the first and the last difference is compared line by line. */
export function describeChange(before: string, after: string, diffTimeoutMs: number): Change {
  const prefix = commonPrefix(before, after);
  const suffix = commonSuffix(before, after, prefix);
  const start = linesBack(before, prefix, contextLines);
  const trimEnd = before.length - linesOn(before, before.length - suffix, contextLines);
  const patch = structuredPatch(
    "a",
    "b",
    before.slice(start, before.length - trimEnd),
    after.slice(start, after.length - trimEnd),
    undefined,
    undefined,
    { context: contextLines, timeout: diffTimeoutMs },
  );
  const firstLine = lineNumberAt(after, prefix);
  if (patch === undefined) return { firstLine, diff: "" };
  const linesBefore = lineNumberAt(before, start) - 1;
  for (const hunk of patch.hunks) {
    hunk.oldStart += linesBefore;
    hunk.newStart += linesBefore;
  }
  return { firstLine, diff: truncateHead(formatPatch(patch, OMIT_HEADERS)).text };
}

function commonPrefix(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  return length;
}

function commonSuffix(a: string, b: string, prefix: number): number {
  const most = Math.min(a.length, b.length) - prefix;
  let length = 0;
  while (length < most && a.charCodeAt(a.length - 1 - length) === b.charCodeAt(b.length - 1 - length)) length++;
  return length;
}

/** Beginning of the line `count` lines before the one that `index` is on. */
function linesBack(text: string, index: number, count: number): number {
  let start = text.lastIndexOf("\n", index - 1);
  if (index === 0) return 0;
  for (let n = 0; n < count && start > 0; n++) start = text.lastIndexOf("\n", start - 1);
  return start + 1;
}

/** End of the line `count` lines after the one that `index` is on, its newline included. */
function linesOn(text: string, index: number, count: number): number {
  let end = index > 0 && text[index - 1] === "\n" ? index - 1 : index;
  for (let n = 0; n <= count; n++) {
    const found = text.indexOf("\n", n === 0 ? end : end + 1);
    if (found === -1) return text.length;
    end = found;
  }
  return end + 1;
}
