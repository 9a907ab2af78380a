/**
 * Finds the place that an edit means. Text is compared in a normalised form that knows what was left out where, so that
 * what is replaced is a range of the original and everything around it stays byte for byte.
 */
import { foldCharacters, skipBlanksBack } from "./fold-text.ts";
import { usesLoneReturns } from "./text-lines.ts";

export interface TextRange {
  start: number;
  end: number;
}

export interface Matches {
  ranges: TextRange[];
  /** Found only after differences in trailing space, quotes and dashes were set aside. */
  isTolerant: boolean;
}

/** All places where `wanted` stands, not overlapping: exactly (line ends aside) if there are any, else tolerantly. */
export function findMatches(text: string, wanted: string): Matches {
  // Returns that are asked for by name are meant.
  const hasReturns = text.includes("\r");
  const literal = !hasReturns || wanted.includes("\r") ? findIn({ text, gaps: [] }, wanted) : [];
  if (literal.length > 0) return { ranges: literal, isTolerant: false };
  const [source, sought] = usesLoneReturns(text)
    ? [text.replaceAll("\r", "\n"), wanted.replace(/\r\n?/g, "\n")]
    : [text, wanted];
  const withReturns = (ranges: TextRange[]) => ranges.map((range) => startBeforeReturn(text, range));
  const exact = hasReturns ? findIn(normalise(source, "exact"), normalise(sought, "exact").text) : [];
  if (exact.length > 0) return { ranges: withReturns(exact), isTolerant: false };
  return { ranges: withReturns(findTolerantly(source, sought)), isTolerant: true };
}

function findTolerantly(source: string, sought: string): TextRange[] {
  const folded = normalise(source, "tolerant");
  const wanted = normalise(sought, "tolerant").text;
  const found = findIn(folded, wanted);
  if (found.length > 0) return found;
  // Space at the very end of what is sought counts for nothing where the file's line ends there.
  const trimmed = wanted.slice(0, skipBlanksBack(wanted, 0, wanted.length));
  const isLineEnd = (end: number) => end === folded.text.length || folded.text[end] === "\n";
  return trimmed === wanted ? [] : findIn(folded, trimmed, isLineEnd);
}

/** A range that begins with a line end has all of it. */
function startBeforeReturn(text: string, { start, end }: TextRange): TextRange {
  const isCut = text[start] === "\n" && text[start - 1] === "\r";
  return { start: isCut ? start - 1 : start, end };
}

interface Normalised {
  text: string;
  /** Where characters of the original were left out: before place `at` of `text` there are `dropped` in all. Ascending. */
  gaps: { at: number; dropped: number }[];
}

/** `exact` leaves out the returns of line ends; `tolerant` all blanks before them, and folds look-alike characters. */
function normalise(source: string, how: "exact" | "tolerant"): Normalised {
  const kept: string[] = [];
  const gaps: Normalised["gaps"] = [];
  let dropped = 0;
  let from = 0;
  const dropTo = (keptEnd: number, next: number) => {
    if (keptEnd === next) return;
    kept.push(source.slice(from, keptEnd));
    gaps.push({ at: keptEnd - dropped, dropped: dropped + next - keptEnd });
    dropped += next - keptEnd;
    from = next;
  };
  let lineStart = 0;
  for (let lineEnd = source.indexOf("\n"); lineEnd !== -1; lineEnd = source.indexOf("\n", lineStart)) {
    dropTo(endOfLine(source, lineStart, lineEnd, how), lineEnd);
    lineStart = lineEnd + 1;
  }
  kept.push(source.slice(from));
  const text = kept.join("");
  return { text: how === "tolerant" ? foldCharacters(text) : text, gaps };
}

function endOfLine(text: string, from: number, lineEnd: number, how: "exact" | "tolerant"): number {
  if (how === "tolerant") return skipBlanksBack(text, from, lineEnd);
  return lineEnd > from && text[lineEnd - 1] === "\r" ? lineEnd - 1 : lineEnd;
}

function findIn(
  { text, gaps }: Normalised,
  wanted: string,
  isMeant: (end: number) => boolean = () => true,
): TextRange[] {
  const ranges: TextRange[] = [];
  if (wanted === "") return ranges;
  for (let at = text.indexOf(wanted); at !== -1; ) {
    const end = at + wanted.length;
    const isTaken = isMeant(end);
    if (isTaken) ranges.push({ start: toOriginal(gaps, at), end: toOriginal(gaps, end - 1) + 1 });
    at = text.indexOf(wanted, isTaken ? end : at + 1);
  }
  return ranges;
}

/** The place in the original of the character at `at`, by the last gap at or before it. */
function toOriginal(gaps: Normalised["gaps"], at: number): number {
  let low = 0;
  let high = gaps.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((gaps[middle]?.at ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return at + (gaps[low - 1]?.dropped ?? 0);
}
