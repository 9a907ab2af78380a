/** Breaks styled text into lines that fit a terminal, carrying colours over each break. */
import stringWidth from "string-width";
import { graphemesOf } from "./graphemes.ts";

const sgr = /\x1b\[[0-9;]*m/g;
const tabWidth = 4;

/** Wraps every line at words; a word that is longer than a line is broken. A `room` of Infinity changes nothing. */
export function wrapWords(text: string, room: number): string {
  if (room === Infinity) return text;
  const lines = text.split("\n").flatMap((line) => (stringWidth(line) <= room ? [line] : wrapLine(line, room)));
  return carryStyles(lines).join("\n");
}

/** Breaks lines wherever they reach `room` columns, so that each takes exactly one row. Tabs become spaces. */
export function breakLines(lines: string[], room: number): string[] {
  const rows = lines.flatMap((line) => {
    const flat = line.replaceAll("\t", " ".repeat(tabWidth));
    return stringWidth(flat) <= room ? [flat] : breakWord(flat, room);
  });
  return carryStyles(rows);
}

/** The text cut to `room` columns, with an ellipsis where something is missing. */
export function truncate(text: string, room: number): string {
  if (stringWidth(text) <= room) return text;
  return `${breakWord(text, Math.max(1, room - 1))[0] ?? ""}…`;
}

function wrapLine(line: string, room: number): string[] {
  const lines: string[] = [];
  let current = "";
  let width = 0;
  for (const word of line.split(/(?<= )(?! )/)) {
    const bare = word.trimEnd();
    const bareWidth = stringWidth(bare);
    if (width > 0 && width + bareWidth > room) {
      lines.push(current.trimEnd());
      current = "";
      width = 0;
    }
    const pieces = bareWidth > room ? breakWord(bare, room) : [bare];
    lines.push(...pieces.slice(0, -1));
    const last = pieces.at(-1) ?? "";
    const gap = word.slice(bare.length);
    current += last + gap;
    width += stringWidth(last) + gap.length;
  }
  return current.trimEnd() === "" && lines.length > 0 ? lines : [...lines, current.trimEnd()];
}

function breakWord(word: string, room: number): string[] {
  const rows: string[] = [];
  let row = "";
  let width = 0;
  for (const piece of word.split(/(\x1b\[[0-9;]*m)/)) {
    if (piece.startsWith("\x1b[")) {
      row += piece;
      continue;
    }
    for (const grapheme of graphemesOf(piece)) {
      const columns = stringWidth(grapheme);
      if (width + columns > room && width > 0) {
        rows.push(row);
        row = "";
        width = 0;
      }
      row += grapheme;
      width += columns;
    }
  }
  return [...rows, row];
}

/** Ends open styles at the end of each line and begins them again on the next. */
function carryStyles(lines: string[]): string[] {
  let active: string[] = [];
  return lines.map((line) => {
    const before = active.join("");
    for (const [sequence] of line.matchAll(sgr)) active = applyStyle(active, sequence);
    return before + line + (active.length > 0 ? "\x1b[0m" : "");
  });
}

/** 22, 23, 24, 29 and 39 end what they end; 0 ends everything; the rest begins something. */
function applyStyle(active: string[], sequence: string): string[] {
  const code = Number(sequence.slice(2, -1));
  if (code === 0) return [];
  const ended = endedBy[code];
  return ended ? active.filter((open) => !ended.test(open)) : [...active, sequence];
}

const endedBy: Record<number, RegExp> = {
  22: /\[[12]m/,
  23: /\[3m/,
  24: /\[4m/,
  29: /\[9m/,
  39: /\[3[0-7]m/,
};
