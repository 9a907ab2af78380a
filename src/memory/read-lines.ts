/** `get`: lines of one memory file, for those who may read it. What somebody may not read is for them as if it were not there. */
import { MomError } from "../base/errors.ts";
import type { MemoryText } from "../contracts/memory.ts";
import { findSource } from "./sources/find-source.ts";
import { readSource } from "./sources/read-source.ts";
import type { Scope, SourcePlan } from "./sources/source.ts";
import { toLines } from "./sources/to-lines.ts";

/** Something about memory that was asked wrongly. */
export class MemoryError extends MomError {}

const mostLines = 400;
const mostChars = 50_000;

export interface LinesWanted {
  path: string;
  lines: { from: number; to?: number } | undefined;
  /** Absent: all of this agent's. */
  scopes: readonly Scope[] | undefined;
}

export async function readLines(plan: SourcePlan, wanted: LinesWanted): Promise<MemoryText> {
  const { path, cited } = splitCitation(wanted.path);
  const range = wanted.lines ?? cited ?? { from: 1 };
  checkRange(range);
  const source = findSource(plan, path);
  if (!source || (wanted.scopes && !wanted.scopes.includes(source.scope))) throw unknownPath(path);
  const read = await readSource(source);
  if (read.type === "absent") throw unknownPath(path);
  if (read.type === "unusable") {
    throw new MemoryError("MEMORY_FILE_UNUSABLE", `${path} cannot be read: ${read.reason}`, {
      hint: "Memory is made of small text files; put it into one, or leave it out.",
    });
  }
  const lines = toLines(read.text, source.type);
  const totalLines = source.type === "note" ? lines.length : read.text.split("\n").length - 1;
  const to = Math.min(range.to ?? Number.POSITIVE_INFINITY, range.from + mostLines - 1);
  const shown = cut(lines.filter(({ number }) => number >= range.from && number <= to));
  const last = shown.at(-1)?.number ?? Math.min(range.from, totalLines);
  const toLine = source.type === "note" ? last : Math.max(last, range.from);
  return { path, fromLine: range.from, toLine, totalLines, text: shown.map(({ text }) => text).join("\n") };
}

/** Whole lines, as far as the limit goes; of a line that is too long by itself its beginning. */
function cut<T extends { text: string }>(lines: readonly T[]): T[] {
  const shown: T[] = [];
  let left = mostChars;
  for (const line of lines) {
    if (line.text.length + 1 > left) {
      if (shown.length === 0) shown.push({ ...line, text: `${line.text.slice(0, mostChars).toWellFormed()}…` });
      break;
    }
    left -= line.text.length + 1;
    shown.push(line);
  }
  return shown;
}

/** A citation may be given as it was shown: `path#L10-L20`. */
function splitCitation(given: string): { path: string; cited?: { from: number; to: number } } {
  const match = /^(.*)#L(\d{1,9})(?:-L?(\d{1,9}))?$/s.exec(given);
  const path = (match?.[1] ?? given).replace(/^\.\//, "");
  if (!match) return { path };
  const from = Number(match[2]);
  return { path, cited: { from, to: Number(match[3] ?? from) } };
}

function checkRange({ from, to }: { from: number; to?: number }): void {
  const isGood =
    Number.isSafeInteger(from) && from >= 1 && (to === undefined || (Number.isSafeInteger(to) && to >= from));
  if (isGood) return;
  throw new MemoryError("MEMORY_LINES_INVALID", `There are no lines ${from} to ${to ?? "the end"}`, {
    hint: 'Lines count from 1, the first before the last: "10-20".',
  });
}

const unknownPath = (path: string) =>
  new MemoryError("MEMORY_PATH_UNKNOWN", `There is no memory file ${JSON.stringify(path.slice(0, 200))}`, {
    hint: "Take a path as memory_search gives it.",
  });
