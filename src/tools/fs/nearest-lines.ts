/** Where an edit that matches nothing was perhaps meant, for the error that says so. */
import { shortenLine } from "../kit/truncate.ts";
import { splitLines } from "./text-lines.ts";

export interface NearLine {
  /** 1-based. */
  line: number;
  text: string;
}

const maxLinesCompared = 5000;
const maxShownLength = 200;
const wordsOf = (line: string) => new Set(line.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []);

/** Lines that share most words with the first line of `wanted`, best first. */
export function findNearestLines(text: string, wanted: string, limit: number): NearLine[] {
  const sought = wordsOf(wanted.split("\n").find((line) => line.trim() !== "") ?? "");
  if (sought.size === 0) return [];
  return splitLines(text)
    .slice(0, maxLinesCompared)
    .map(({ text }, i) => {
      const words = wordsOf(text.slice(0, 500));
      const common = [...words].filter((word) => sought.has(word)).length;
      return { line: i + 1, text, score: (2 * common) / (words.size + sought.size) };
    })
    .filter(({ score }) => score >= 0.5)
    .sort((a, b) => b.score - a.score || a.line - b.line)
    .slice(0, limit)
    .map(({ line, text }) => ({ line, text: shortenLine(text, maxShownLength) }));
}

/** As a hint for whoever must find the right text. */
export const formatNearest = (nearest: readonly NearLine[]): string =>
  nearest.length > 0
    ? `Nearest lines:\n${nearest.map(({ line, text }) => `  ${line}: ${text}`).join("\n")}`
    : "Read the file again and copy the text exactly.";
