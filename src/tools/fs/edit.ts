/** `edit`: replaces a piece of a text file; everything else in it stays as it is, byte order mark and line ends too. */
import { formatPatch, OMIT_HEADERS, structuredPatch } from "diff";
import { Type } from "typebox";
import { ToolError } from "../../base/errors.ts";
import type { Operations } from "../../contracts/sandbox.ts";
import type { Tool } from "../../contracts/tool.ts";
import { formatBytes } from "../kit/format-bytes.ts";
import { buildTextResult } from "../kit/text-result.ts";
import { shortenLine, truncateHead } from "../kit/truncate.ts";
import { findMatches, findNearestLines, lineNumberAt, type Matches } from "./match-text.ts";

const parameters = Type.Object(
  {
    path: Type.String({ minLength: 1 }),
    oldText: Type.String({ minLength: 1, description: "Must occur once" }),
    newText: Type.String(),
    replaceAll: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);

interface EditDetails {
  path: string;
  replacements: number;
  firstLine: number;
  /** Unified, without file names. Empty when it took too long to compute. */
  diff: string;
}

/** Matching and the diff are computed in one go; this bounds how long they hold up everything else. */
const maxFileBytes = 1024 * 1024;
const diffTimeoutMs = 40;

export function createEditTool(operations: Operations): Tool<typeof parameters, EditDetails> {
  return {
    name: "edit",
    label: "Edit",
    description: "Replace oldText in a file by newText. Give enough of the surrounding text to be unique.",
    parameters,
    effect: "write",
    describe: ({ path }) => `edit ${path}`,
    locks: async ({ path }) => [await operations.resolve(path)],
    async execute(_id, { path, oldText, newText, replaceAll = false }) {
      const before = await readText(operations, path);
      const matches = findMatches(before, oldText);
      ensureMeant(path, before, oldText, matches, replaceAll);
      const after = replaceRanges(before, matches, newText);
      if (after === before) {
        throw new ToolError("EDIT_NO_CHANGE", `The edit would leave "${path}" as it is`, {
          hint: "oldText and newText are the same; nothing needs to be done, or newText is not what you meant.",
        });
      }
      await operations.writeFile(path, after);
      const replacements = matches.ranges.length;
      const firstLine = lineNumberAt(before, matches.ranges[0]?.start ?? 0);
      const text = `Replaced ${replacements === 1 ? "1 place" : `${replacements} places`} in ${path}, line ${firstLine}${
        matches.isTolerant ? " (differences in trailing space, quotes or dashes were set aside)" : ""
      }.`;
      return buildTextResult(text, { path, replacements, firstLine, diff: buildDiff(before, after) });
    },
  };
}

async function readText(operations: Operations, path: string): Promise<string> {
  const found = await operations.stat(path);
  if (found === undefined) {
    throw new ToolError("FILE_NOT_FOUND", `"${path}" does not exist`, { hint: "Use write to make a new file." });
  }
  if (found.size > maxFileBytes) {
    throw new ToolError(
      "FILE_TOO_BIG",
      `"${path}" has ${formatBytes(found.size)}; files up to ${formatBytes(maxFileBytes)} can be edited`,
      { hint: "Change it with a program instead." },
    );
  }
  const bytes = await operations.readFile(path);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new ToolError("FILE_BINARY", `"${path}" is not UTF-8 text; an edit would damage it`, {
      hint: "Change it with a program that knows its format.",
      cause,
    });
  }
}

function ensureMeant(path: string, text: string, oldText: string, { ranges }: Matches, replaceAll: boolean): void {
  if (ranges.length === 0) {
    const nearest = findNearestLines(text, oldText, 3).map(({ line, text }) => `  ${line}: ${shortenLine(text, 200)}`);
    throw new ToolError("EDIT_NOT_FOUND", `oldText does not occur in "${path}"`, {
      hint:
        nearest.length > 0 ? `Nearest lines:\n${nearest.join("\n")}` : "Read the file again and copy the text exactly.",
    });
  }
  if (ranges.length > 1 && !replaceAll) {
    const lines = ranges.slice(0, 10).map(({ start }) => lineNumberAt(text, start));
    throw new ToolError(
      "EDIT_NOT_UNIQUE",
      `oldText occurs ${ranges.length} times in "${path}" (lines ${lines.join(", ")}${ranges.length > 10 ? ", …" : ""})`,
      { hint: "Add surrounding lines to make it unique, or set replaceAll." },
    );
  }
}

function replaceRanges(text: string, { ranges }: Matches, newText: string): string {
  const plain = newText.replaceAll("\r\n", "\n");
  const replacement = usesWindowsLines(text) ? plain.replaceAll("\n", "\r\n") : plain;
  let result = "";
  let from = 0;
  for (const { start, end } of ranges) {
    result += text.slice(from, start) + replacement;
    from = end;
  }
  return result + text.slice(from);
}

function usesWindowsLines(text: string): boolean {
  const windows = text.match(/\r\n/g)?.length ?? 0;
  const all = text.match(/\n/g)?.length ?? 0;
  return windows * 2 > all;
}

function buildDiff(before: string, after: string): string {
  const patch = structuredPatch("a", "b", before, after, undefined, undefined, { context: 3, timeout: diffTimeoutMs });
  return patch === undefined ? "" : truncateHead(formatPatch(patch, OMIT_HEADERS)).text;
}
