/** Reads the `*** Begin Patch` format: files to add, delete, update or move, with hunks that are found by their text. */
import { ToolError } from "../../../base/errors.ts";
import type { FileChange, Hunk, HunkLine } from "./patch-parts.ts";

const beginMark = "*** Begin Patch";
const endMark = "*** End Patch";
const endOfFileMark = "*** End of File";
const addMark = "*** Add File: ";
const deleteMark = "*** Delete File: ";
const updateMark = "*** Update File: ";
const moveMark = "*** Move to: ";

export const isPatchFormat = (text: string): boolean => text.trimStart().startsWith(beginMark);

/** Lines of the patch, read one after the other; `at` counts from 0. */
interface Reader {
  lines: string[];
  /** For every line, the next one from it on that is not blank; the end where there is none. */
  nextText: number[];
  at: number;
}

/** Throws `PATCH_MALFORMED`, naming the line of the patch. */
export function parsePatch(text: string): FileChange[] {
  const lines = text.trim().split("\n").map(dropReturn);
  if (lines.at(-1)?.trim() !== endMark) {
    throw new ToolError("PATCH_MALFORMED", `The patch does not end with "${endMark}"`, {
      hint: "Send the whole patch; it may have been cut off.",
    });
  }
  lines.pop();
  const reader = { lines, nextText: findNextText(lines), at: 1 };
  const changes: FileChange[] = [];
  for (skipBlank(reader); reader.at < reader.lines.length; skipBlank(reader)) changes.push(parseChange(reader));
  if (changes.length === 0) throw fail(reader, "comes before any file");
  return changes;
}

/** Looked up beforehand, once, for a patch may be nothing but blank lines. */
function findNextText(lines: string[]): number[] {
  const nextText = lines.map((_, i) => i);
  for (let i = lines.length - 1; i >= 0; i--) {
    if (lines[i]?.trim() === "") nextText[i] = nextText[i + 1] ?? lines.length;
  }
  return nextText;
}

const dropReturn = (line: string) => (line.endsWith("\r") ? line.slice(0, -1) : line);
const peek = (reader: Reader): string | undefined => reader.lines[reader.at];

function skipBlank(reader: Reader): void {
  while (peek(reader)?.trim() === "") reader.at++;
}

function parseChange(reader: Reader): FileChange {
  const line = peek(reader) ?? "";
  for (const [mark, parse] of [
    [addMark, parseAdd],
    [deleteMark, parseDelete],
    [updateMark, parseUpdate],
  ] as const) {
    if (!line.startsWith(mark)) continue;
    const path = line.slice(mark.length).trim();
    if (path === "") throw fail(reader, "names no file");
    reader.at++;
    return parse(reader, path);
  }
  throw fail(reader, "begins no file");
}

function parseAdd(reader: Reader, path: string): FileChange {
  const added: string[] = [];
  for (let line = peek(reader); line !== undefined && !line.startsWith("***"); line = peek(reader)) {
    if (line.trim() === "" && isLastOfFile(reader)) break;
    if (!line.startsWith("+")) throw fail(reader, `of the new file "${path}" must start with "+"`);
    added.push(`${line.slice(1)}\n`);
    reader.at++;
  }
  return { type: "add", path, text: added.join("") };
}

const parseDelete = (_reader: Reader, path: string): FileChange => ({ type: "delete", path });

function parseUpdate(reader: Reader, path: string): FileChange {
  const moveLine = peek(reader);
  const moveTo = moveLine?.startsWith(moveMark) ? moveLine.slice(moveMark.length).trim() : undefined;
  if (moveTo === "") throw fail(reader, "names no file");
  if (moveTo !== undefined) reader.at++;
  const hunks: Hunk[] = [];
  for (let line = peek(reader); line !== undefined && !line.startsWith("*** "); line = peek(reader)) {
    if (line.trim() === "" && isLastOfFile(reader)) break;
    hunks.push(parseHunk(reader));
  }
  if (hunks.length === 0 && moveTo === undefined) throw fail(reader, `ends "${path}", which has nothing to change`);
  return { type: "update", path, hunks, ...(moveTo === undefined ? {} : { moveTo }) };
}

function parseHunk(reader: Reader): Hunk {
  const anchors: string[] = [];
  let namedLine: number | undefined;
  for (let line = peek(reader); line?.startsWith("@@"); line = peek(reader)) {
    const numbers = /^@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@/.exec(line);
    const anchor = line.slice(2).trim();
    if (numbers !== null) namedLine = Number(numbers[1]);
    else if (anchor !== "") anchors.push(anchor);
    reader.at++;
  }
  const lines: HunkLine[] = [];
  for (let line = peek(reader); line !== undefined && !isHunkEnd(line); line = peek(reader)) {
    if (line.trim() === "" && isLastOfFile(reader)) break;
    lines.push(parseHunkLine(reader, line));
    reader.at++;
  }
  const isAtEnd = peek(reader) === endOfFileMark;
  if (isAtEnd) reader.at++;
  if (lines.length === 0) throw fail(reader, "ends a hunk without a line in it");
  return { anchors, lines, isAtEnd, ...(namedLine === undefined ? {} : { line: namedLine }) };
}

const isHunkEnd = (line: string) => line.startsWith("@@") || line.startsWith("*** ");

const lineTypes: Readonly<Record<string, HunkLine["type"]>> = { " ": "keep", "-": "remove", "+": "add" };

function parseHunkLine(reader: Reader, line: string): HunkLine {
  // Whoever writes patches by hand loses the one space of an empty line.
  if (line === "") return { type: "keep", text: "" };
  const type = lineTypes[line.charAt(0)];
  if (type === undefined) throw fail(reader, 'must start with " ", "-" or "+"');
  return { type, text: line.slice(1) };
}

/** Blank lines before the next file, or before the end, part files; they are no lines of this one. */
function isLastOfFile(reader: Reader): boolean {
  const next = reader.lines[reader.nextText[reader.at] ?? reader.lines.length];
  return next === undefined || (next.startsWith("*** ") && next !== endOfFileMark);
}

function fail(reader: Reader, what: string): ToolError {
  const line = peek(reader);
  const shown = line === undefined ? "the end of the patch" : JSON.stringify(line.slice(0, 100));
  return new ToolError("PATCH_MALFORMED", `Line ${reader.at + 1} of the patch, ${shown}, ${what}`, {
    hint: `A file starts with "${updateMark}path", "${addMark}path" or "${deleteMark}path"; its lines start with " ", "-" or "+".`,
  });
}
