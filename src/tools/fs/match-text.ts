/**
 * Finds the place that an edit means. Text is compared in a normalised form of which every character knows where it came
 * from, so that what is replaced is a range of the original and everything around it stays byte for byte.
 */
export interface TextRange {
  start: number;
  end: number;
}

export interface Matches {
  ranges: TextRange[];
  /** Found only after differences in trailing space, quotes and dashes were set aside. */
  isTolerant: boolean;
}

/** All places where `wanted` stands, not overlapping: exactly if there are any, else tolerantly. */
export function findMatches(text: string, wanted: string): Matches {
  for (const isTolerant of [false, true]) {
    const ranges = findIn(normalise(text, isTolerant), normalise(wanted, isTolerant).text);
    if (ranges.length > 0) return { ranges, isTolerant };
  }
  return { ranges: [], isTolerant: true };
}

interface Normalised {
  text: string;
  /** Where each character (UTF-16 unit) of `text` stands in the original. */
  origins: Int32Array;
}

function normalise(original: string, isTolerant: boolean): Normalised {
  const kept: string[] = [];
  const origins = new Int32Array(original.length);
  let length = 0;
  const keep = (from: number, end: number) => {
    kept.push(original.slice(from, end));
    for (let i = from; i < end; i++) origins[length++] = i;
  };
  let from = 0;
  for (let lineEnd = original.indexOf("\n"); lineEnd !== -1; lineEnd = original.indexOf("\n", lineEnd + 1)) {
    keep(from, isTolerant ? skipBlanksBack(original, from, lineEnd) : skipReturnBack(original, from, lineEnd));
    from = lineEnd;
  }
  keep(from, original.length);
  const text = kept.join("");
  return { text: isTolerant ? foldCharacters(text) : text, origins };
}

/** `from` is the line's own beginning, or the line end before it: never walked past. */
function skipBlanksBack(text: string, from: number, lineEnd: number): number {
  let end = lineEnd;
  while (end > from && " \t\u00a0\r".includes(text[end - 1] ?? "\n")) end--;
  return end;
}

const skipReturnBack = (text: string, from: number, lineEnd: number) =>
  lineEnd > from && text[lineEnd - 1] === "\r" ? lineEnd - 1 : lineEnd;

/** Every replacement is as long as what it replaces, so that the origins stay right. */
function foldCharacters(text: string): string {
  return text
    .replace(/[\u2018\u2019\u201a\u201b\u2032]/g, "'")
    .replace(/[\u201c\u201d\u201e\u201f\u2033]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .replace(/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g, " ");
}

function findIn({ text, origins }: Normalised, wanted: string): TextRange[] {
  const ranges: TextRange[] = [];
  if (wanted === "") return ranges;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
    ranges.push({ start: origins[at] ?? 0, end: (origins[at + wanted.length - 1] ?? 0) + 1 });
  }
  return ranges;
}

/** 1-based. */
export function lineNumberAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < index; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

const maxLinesCompared = 5000;
const wordsOf = (line: string) => new Set(line.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []);

/** Lines that share most words with the first line of `wanted`, best first: where the edit was perhaps meant. */
export function findNearestLines(text: string, wanted: string, limit: number): { line: number; text: string }[] {
  const sought = wordsOf(wanted.split("\n").find((line) => line.trim() !== "") ?? "");
  if (sought.size === 0) return [];
  return text
    .split("\n", maxLinesCompared)
    .map((line, i) => {
      const words = wordsOf(line.slice(0, 500));
      const common = [...words].filter((word) => sought.has(word)).length;
      return { line: i + 1, text: line, score: (2 * common) / (words.size + sought.size) };
    })
    .filter(({ score }) => score >= 0.5)
    .sort((a, b) => b.score - a.score || a.line - b.line)
    .slice(0, limit)
    .map(({ line, text }) => ({ line, text }));
}
