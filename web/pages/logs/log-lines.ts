/** The lines that the log page holds: bounded, numbered for the screen, filtered by level and text. */
import type { LogLineSummary } from "../../../src/gateway/protocol/index.ts";

export const levels = ["debug", "info", "warn", "error"] as const;
export type Level = (typeof levels)[number];

export const mostLines = 2000;

export interface Line extends LogLineSummary {
  /** Grows by one; stays with the line. */
  id: number;
}

/** Adds lines, and lets the oldest go. */
export function addLines(lines: readonly Line[], added: readonly LogLineSummary[]): Line[] {
  const from = (lines.at(-1)?.id ?? 0) + 1;
  const numbered = added.map((line, i) => ({ ...line, id: from + i }));
  return [...lines, ...numbered].slice(-mostLines);
}

/** What was loaded, and what arrived meanwhile and is not among it: the end of the one is the beginning of the other. */
export function joinLines(loaded: readonly LogLineSummary[], arrived: readonly LogLineSummary[]): Line[] {
  const keys = new Set(loaded.slice(-mostLines).map(keyOf));
  return addLines(
    addLines([], loaded),
    arrived.filter((line) => !keys.has(keyOf(line))),
  );
}

const keyOf = (line: LogLineSummary): string => JSON.stringify([line.at, line.level, line.text, line.fields]);

/** Lines of this level and worse that have every word of the text somewhere. */
export function filterLines(lines: readonly Line[], { level, text }: { level: Level; text: string }): Line[] {
  const lowest = levels.indexOf(level);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return lines.filter((line) => {
    if (levels.indexOf(line.level) < lowest) return false;
    if (words.length === 0) return true;
    const all = `${line.text}\n${formatFields(line.fields)}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
}

/** `key=value …` on one line. */
export function formatFields(fields: Readonly<Record<string, unknown>>): string {
  return Object.entries(fields)
    .map(([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" ");
}

/** As it is copied: one line each. */
export function formatLine({ at, level, text, fields }: LogLineSummary): string {
  const rest = formatFields(fields).replaceAll("\n", "\\n");
  return `${new Date(at).toISOString()} ${level.padEnd(5)} ${text.replaceAll("\n", "\\n")}${rest === "" ? "" : ` ${rest}`}`;
}

/** `14:03:07.120`, local. */
export function formatClock(at: number): string {
  const time = new Date(at);
  const two = (part: number) => String(part).padStart(2, "0");
  return `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}.${String(time.getMilliseconds()).padStart(3, "0")}`;
}
