/** Finds the one place in a file that a hunk means, by its lines. Never guesses between two. */
import { ToolError } from "../../../base/errors.ts";
import { foldLine } from "../fold-text.ts";
import { findNearestLines, formatNearest } from "../nearest-lines.ts";
import { findRuns } from "./find-runs.ts";
import type { Hunk, HunkLine } from "./patch-parts.ts";

/** A file while it is searched: its lines as they are, and as tolerance sees them. */
export interface SearchedFile {
  path: string;
  text: string;
  exact: SearchedLines;
  /** Made when first needed. */
  folded?: SearchedLines;
}

interface SearchedLines {
  texts: string[];
  /** For every line, how many empty ones follow from it on. Made when first needed. */
  emptyRuns?: number[];
}

export interface Place {
  /** First line of the hunk, from 0, and how many lines it covers. */
  start: number;
  count: number;
  isTolerant: boolean;
  /** The hunk's, perhaps without empty lines at its end that were none. */
  hunkLines: HunkLine[];
}

export const toSearchedFile = (path: string, text: string, lines: string[]): SearchedFile => ({
  path,
  text,
  exact: { texts: lines },
});

/** `from`: the first line that may be meant, from 0; `n`: the hunk's number, from 1. Throws `PATCH_FAILED`. */
export function placeHunk(file: SearchedFile, hunk: Hunk, from: number, n: number): Place {
  const start = hunk.anchors.reduce((at, anchor) => findAnchor(file, anchor, at, n) + 1, from);
  const sought = soughtOf(hunk.lines);
  if (sought.length === 0) {
    return { start: insertAt(file, hunk, start), count: 0, isTolerant: false, hunkLines: hunk.lines };
  }
  const place = findPlace(file, hunk, sought, start, n);
  if (place === undefined) throw notFound(file, sought, start, n);
  return place;
}

const soughtOf = (lines: HunkLine[]) => lines.filter(({ type }) => type !== "add").map(({ text }) => text);

const foldedOf = (file: SearchedFile): SearchedLines => {
  file.folded ??= { texts: file.exact.texts.map(foldLine) };
  return file.folded;
};

/** Where a hunk that only adds goes: after its anchor, to the line it names, or to the end. */
function insertAt(file: SearchedFile, hunk: Hunk, start: number): number {
  const end = file.exact.texts.length;
  if (hunk.isAtEnd) return end;
  if (hunk.line !== undefined) return Math.min(Math.max(hunk.line - 1, start), end);
  return hunk.anchors.length > 0 ? start : end;
}

function findAnchor(file: SearchedFile, anchor: string, from: number, n: number): number {
  const wanted = foldLine(anchor).trim();
  const { texts } = file.exact;
  for (const isMeant of [
    (i: number) => texts[i] === anchor,
    (i: number) => texts[i]?.trim() === anchor,
    (i: number) => foldedOf(file).texts[i]?.trim() === wanted,
  ]) {
    for (let i = from; i < texts.length; i++) if (isMeant(i)) return i;
  }
  throw unplaced(
    `"${file.path}", hunk ${n}: no line "${anchor}" (after @@) from line ${from + 1} on`,
    formatNearest(findNearestLines(file.text, anchor, 3)),
  );
}

/**
 * Exactly, else tolerantly. Empty lines at the end of a hunk are more often a slip than context: the places that have
 * most of them count, even if none has all.
 */
function findPlace(file: SearchedFile, hunk: Hunk, sought: string[], from: number, n: number): Place | undefined {
  const spare = countSpareLines(hunk.lines, sought.length);
  const search = { sought: sought.slice(0, sought.length - spare), spare, from, isAtEnd: hunk.isAtEnd };
  const exact = findStarts(file.exact, search);
  const isExact = exact?.spareFound === spare;
  const tolerant = isExact ? undefined : findStarts(foldedOf(file), { ...search, sought: search.sought.map(foldLine) });
  const isTolerant = tolerant !== undefined && tolerant.spareFound > (exact?.spareFound ?? -1);
  const found = isTolerant ? tolerant : exact;
  if (found === undefined) return undefined;
  return {
    start: pickStart(file, hunk, found.starts, n),
    count: search.sought.length + found.spareFound,
    isTolerant,
    hunkLines: hunk.lines.slice(0, hunk.lines.length - spare + found.spareFound),
  };
}

/** Empty context lines at the end that may be left out; one line at least is searched for. */
function countSpareLines(lines: HunkLine[], sought: number): number {
  const last = lines.findLastIndex(({ type, text }) => type !== "keep" || text !== "");
  return Math.min(lines.length - 1 - last, sought - 1);
}

interface RunSearch {
  sought: string[];
  /** Empty lines that may follow. */
  spare: number;
  from: number;
  isAtEnd: boolean;
}

/** The places with most of the spare lines; undefined where there is none. */
function findStarts(lines: SearchedLines, { sought, spare, from, isAtEnd }: RunSearch) {
  const { starts } = findRuns(lines.texts, sought, from);
  if (starts.length === 0) return undefined;
  if (spare > 0) lines.emptyRuns ??= countEmptyRuns(lines.texts);
  const found = { starts: [] as number[], spareFound: -1 };
  for (const start of starts) {
    const end = start + sought.length;
    const has = Math.min(lines.emptyRuns?.[end] ?? 0, spare);
    // At the end of the file nothing may be left over.
    if (isAtEnd && end + has !== lines.texts.length) continue;
    if (has > found.spareFound) {
      found.spareFound = has;
      found.starts = [];
    }
    if (has === found.spareFound) found.starts.push(start);
  }
  return found.starts.length === 0 ? undefined : found;
}

function countEmptyRuns(texts: string[]): number[] {
  const runs = texts.map(() => 0);
  for (let i = texts.length - 1; i >= 0; i--) if (texts[i] === "") runs[i] = 1 + (runs[i + 1] ?? 0);
  return runs;
}

/** Of several places the one the patch names; an anchor means the first after it; else none may be guessed. */
function pickStart(file: SearchedFile, hunk: Hunk, starts: number[], n: number): number {
  const [first = 0] = starts;
  if (starts.length === 1 || hunk.isAtEnd) return first;
  const named = starts.find((start) => start + 1 === hunk.line);
  if (named !== undefined || hunk.anchors.length > 0) return named ?? first;
  const shown = starts.slice(0, 10).map((start) => start + 1);
  throw unplaced(
    `"${file.path}", hunk ${n}: its lines stand at ${starts.length} places (lines ${shown.join(", ")}${starts.length > 10 ? ", …" : ""})`,
    'Add context lines, or name a line above it with "@@ line".',
  );
}

/** Names the line that does not match at the place where most of the hunk does. */
function notFound(file: SearchedFile, sought: string[], from: number, n: number): ToolError {
  const { texts } = foldedOf(file);
  const wanted = sought.map(foldLine);
  if (from > 0 && findRuns(texts, wanted, 0).starts.length > 0) {
    return unplaced(
      `"${file.path}", hunk ${n}: its lines stand before line ${from + 1}, where it is looked for`,
      "Give the hunks in the order of the file, none over another, and only lines above a hunk after @@.",
    );
  }
  const { best } = findRuns(texts, wanted, from);
  const expected = sought[best.matching] ?? sought[0] ?? "";
  const where = best.matching === 0 ? "" : ` at line ${best.start + best.matching + 1}`;
  const there = file.exact.texts[best.start + best.matching] ?? "(end of file)";
  return unplaced(
    `"${file.path}", hunk ${n}: expected "${expected.slice(0, 200)}"${where}, which is not there`,
    best.matching === 0
      ? formatNearest(findNearestLines(file.text, expected, 3))
      : `The file has "${there.slice(0, 200)}" there. Read it again.`,
  );
}

const unplaced = (message: string, hint: string) => new ToolError("PATCH_FAILED", message, { hint });
