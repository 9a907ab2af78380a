/** Reads a unified diff (`--- a/x`, `+++ b/x`, `@@ -1,3 +1,4 @@`), as `diff -u` and git write it. */
import { parsePatch as parseDiff, type StructuredPatch, type StructuredPatchHunk } from "diff";
import { errorText, ToolError } from "../../../base/errors.ts";
import type { FileChange, Hunk, HunkLine } from "./patch-parts.ts";

export const isUnifiedDiff = (text: string): boolean => /^--- .*\r?\n\+\+\+ /m.test(text);

const nowhere = "/dev/null";
const noNewlineMark = "\\";

/** Throws `PATCH_MALFORMED`. */
export function parseUnifiedDiff(text: string): FileChange[] {
  const changes = parseFiles(text).filter(hasFiles).map(toChange);
  if (changes.length > 0) return changes;
  throw new ToolError("PATCH_MALFORMED", "The diff changes no file", { hint: "Give it at least one hunk." });
}

function parseFiles(text: string): StructuredPatch[] {
  try {
    return parseDiff(text.replaceAll("\r\n", "\n"));
  } catch (cause) {
    throw new ToolError("PATCH_MALFORMED", `The diff cannot be read: ${errorText(cause)}`, {
      hint: 'Count the lines of each hunk, or use the "*** Begin Patch" format.',
      cause,
    });
  }
}

const hasFiles = (patch: StructuredPatch) => patch.hunks.length > 0 && Boolean(patch.oldFileName ?? patch.newFileName);

function toChange(patch: StructuredPatch): FileChange {
  const [from, to] = [patch.oldFileName ?? nowhere, patch.newFileName ?? nowhere];
  // Both carry the letters, or neither does: a folder called "a" is not to be cut off.
  const hasLetters = (from.startsWith("a/") || from === nowhere) && (to.startsWith("b/") || to === nowhere);
  const toPath = (name: string) => (hasLetters && name !== nowhere ? name.slice(2) : name);
  if (to === nowhere) return { type: "delete", path: toPath(from) };
  if (from === nowhere) return { type: "add", path: toPath(to), text: textOf(patch.hunks) };
  const hasFinalNewline = endsWithNewline(patch.hunks);
  return {
    type: "update",
    path: toPath(from),
    hunks: patch.hunks.map(toHunk),
    ...(toPath(from) === toPath(to) ? {} : { moveTo: toPath(to) }),
    ...(hasFinalNewline === undefined ? {} : { hasFinalNewline }),
  };
}

const types: Readonly<Record<string, HunkLine["type"]>> = { " ": "keep", "-": "remove", "+": "add" };

function toHunk({ lines, oldStart }: StructuredPatchHunk): Hunk {
  const parts = lines
    .filter((line) => !line.startsWith(noNewlineMark))
    .map((line): HunkLine => ({ type: types[line.charAt(0)] ?? "keep", text: line.slice(1) }));
  return { anchors: [], lines: parts, isAtEnd: false, line: oldStart };
}

function textOf(hunks: StructuredPatchHunk[]): string {
  const lines = hunks.flatMap((hunk) => hunk.lines.filter((line) => line.startsWith("+")).map((line) => line.slice(1)));
  const end = endsWithNewline(hunks) === false || lines.length === 0 ? "" : "\n";
  return lines.join("\n") + end;
}

/** Undefined where the diff does not reach the end of a file without a final newline. */
function endsWithNewline(hunks: StructuredPatchHunk[]): boolean | undefined {
  const lines = hunks.at(-1)?.lines ?? [];
  const marked = lines.flatMap((line, i) => (line.startsWith(noNewlineMark) ? [lines[i - 1] ?? ""] : []));
  if (marked.length === 0) return undefined;
  return marked.every((line) => line.startsWith("-"));
}
