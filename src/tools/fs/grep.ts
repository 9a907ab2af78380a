/** `grep`: lines that match, found by ripgrep, which sees nothing of what the session may not see. */
import { type Static, Type } from "typebox";
import { ToolError } from "../../base/errors.ts";
import type { ExecResult, Operations } from "../../contracts/sandbox.ts";
import type { Tool } from "../../contracts/tool.ts";
import { toDisplayPath } from "../kit/display-path.ts";
import { maxGrepLineLength } from "../kit/limits.ts";
import { markOutside } from "../kit/mark-outside.ts";
import { createOutsideCheck, type OwnChat } from "../kit/outside-file.ts";
import { buildTextResult } from "../kit/text-result.ts";
import { shortenLine, truncateHead } from "../kit/truncate.ts";
import { limitToGlob } from "./grep-glob.ts";
import { createGrepParser, type GrepLine } from "./parse-ripgrep.ts";

const maxMatches = 100;
const searchTimeoutMs = 60_000;
/** Up to here the first matches are the first by path; a pattern that matches more is too wide for an order to matter. */
const maxSearchedMatches = 5000;
/** Characters. */
const maxSearchedLength = 8 * 1024 * 1024;
const parameters = Type.Object(
  {
    pattern: Type.String({ minLength: 1, maxLength: 4000, description: "Regex" }),
    path: Type.Optional(Type.String({ minLength: 1 })),
    glob: Type.Optional(Type.String({ minLength: 1, maxLength: 1000, description: "e.g. *.ts" })),
    literal: Type.Optional(Type.Boolean()),
    ignoreCase: Type.Optional(Type.Boolean()),
    context: Type.Optional(Type.Integer({ minimum: 0, maximum: 20, description: "Lines" })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: maxMatches })),
  },
  { additionalProperties: false },
);
type GrepParams = Static<typeof parameters>;

interface GrepDetails {
  pattern: string;
  matches: number;
}

/** `ownChat` absent: every chat counts as another one. */
export function createGrepTool(
  operations: Operations,
  { ownChat }: { ownChat?: OwnChat } = {},
): Tool<typeof parameters, GrepDetails> {
  return {
    name: "grep",
    label: "Grep",
    description: `Search in files; ignored ones are left out. At most ${maxMatches} matches, lines cut at ${maxGrepLineLength}.`,
    parameters,
    effect: "read",
    describe: ({ pattern, path }) => `grep ${pattern}${path === undefined ? "" : ` in ${path}`}`,
    async execute(_id, params, signal) {
      const { pattern, limit = maxMatches } = params;
      const found = await search(operations, params, limit, signal);
      const { lines, matches } = await pickVisible(operations, found, limit);
      if (matches === 0) return buildTextResult(`Nothing matches ${pattern}.`, { pattern, matches });
      const shown = truncateHead(await formatLines(operations, lines));
      const isFromOutside = await createOutsideCheck(operations, ownChat);
      const outside = lines.find(({ path }) => isFromOutside(path))?.path;
      const notices = [
        ...(found.matches > matches || !found.isComplete
          ? [
              `${found.isComplete ? "The first" : "Some"} ${matches} matches; narrow the pattern, path or glob for the rest`,
            ]
          : []),
        ...(shown.cutBy === undefined ? [] : [`${shown.keptLines} of ${shown.totalLines} lines; ask for less context`]),
      ];
      const text = outside === undefined ? shown.text : markOutside(shown.text, "files of chats");
      const result = buildTextResult(text, { pattern, matches }, notices.length > 0 ? notices.join(". ") : undefined);
      return outside === undefined ? result : { ...result, outside };
    },
  };
}

interface Found {
  /** By path, each in the order of its lines. */
  files: Map<string, GrepLine[]>;
  matches: number;
  /** All files were searched to the end. */
  isComplete: boolean;
}

/**
 * ripgrep searches on all cores, so files come in any order: they are sorted here. What is more than enough to pick the
 * first matches from is not waited for.
 */
async function search(operations: Operations, params: GrepParams, limit: number, signal: AbortSignal): Promise<Found> {
  const root = await operations.resolve(params.path ?? ".");
  const place = await operations.stat(root);
  if (place === undefined) {
    throw new ToolError("FILE_NOT_FOUND", `"${params.path ?? "."}" does not exist`, { hint: "Look with ls or find." });
  }
  if (place.type === "other") {
    throw new ToolError("FILE_NOT_REGULAR", `"${params.path ?? "."}" is neither a file nor a folder`, {
      hint: "Name a file or a folder.",
    });
  }
  // A file that is named is searched, whatever else is said.
  const glob =
    params.glob === undefined || place.type === "file"
      ? undefined
      : await limitToGlob(operations, params.glob, { root, signal });
  const hidden = await operations.hidden();
  const isVisible = (path: string) =>
    isAtOrBelow(path, root) && !hidden.some((hiddenPath) => isAtOrBelow(path, hiddenPath));
  const found: Found = { files: new Map(), matches: 0, isComplete: true };
  const enough = new AbortController();
  let takenLength = 0;
  const parse = createGrepParser((line) => {
    if (!found.isComplete || glob?.isMeant(line.path) === false || !isVisible(line.path)) return;
    takenLength += line.text.length;
    if (line.isMatch) found.matches++;
    const lines = found.files.get(line.path);
    if (lines === undefined) found.files.set(line.path, [line]);
    else lines.push(line);
  });
  const result = await operations.exec({
    command: { argv: ["rg", ...buildArguments(params, limit, glob?.options ?? []), "--", root] },
    timeoutMs: searchTimeoutMs,
    signal: AbortSignal.any([signal, enough.signal]),
    maxOutputBytes: 4096,
    onOutput: (chunk, stream) => {
      if (stream === "stderr") return;
      parse(chunk);
      if (takenLength < maxSearchedLength && found.matches < maxSearchedMatches) return;
      found.isComplete = false;
      enough.abort();
    },
  });
  if (signal.aborted) throw new ToolError("ABORTED", "The search was stopped");
  if (found.matches === 0) ensureComplete(result);
  if (result.ended !== "exit" || glob?.isComplete === false) found.isComplete = false;
  return found;
}

/** A program sees more than the guard lets through: a file whose other name is closed looks like any other to it. */
async function pickVisible(operations: Operations, found: Found, limit: number) {
  for (;;) {
    const picked = pickMatches(found.files, limit);
    const paths = [...new Set(picked.lines.map(({ path }) => path))];
    const isRefused = await Promise.all(
      paths.map((path) =>
        operations.resolve(path).then(
          () => false,
          () => true,
        ),
      ),
    );
    if (!isRefused.includes(true)) return picked;
    for (const path of paths.filter((_, index) => isRefused[index])) {
      found.matches -= found.files.get(path)?.filter((line) => line.isMatch).length ?? 0;
      found.files.delete(path);
    }
  }
}

/** The first matches by path and line, with the context that belongs to them. */
function pickMatches(files: ReadonlyMap<string, GrepLine[]>, limit: number): { lines: GrepLine[]; matches: number } {
  const lines: GrepLine[] = [];
  let matches = 0;
  for (const path of [...files.keys()].sort()) {
    for (const line of files.get(path) ?? []) {
      if (line.isMatch && matches === limit) return { lines: dropContextAhead(lines), matches };
      if (line.isMatch) matches++;
      lines.push(line);
    }
    if (matches === limit) break;
  }
  return { lines, matches };
}

/** Lines that lead up to a match which is not shown any more, beyond a gap, are context of nothing. */
function dropContextAhead(lines: GrepLine[]): GrepLine[] {
  let end = lines.findLastIndex((line) => line.isMatch) + 1;
  while (end < lines.length && lines[end]?.line === (lines[end - 1]?.line ?? 0) + 1) end++;
  return lines.slice(0, end);
}

/** "Nothing found" may only be said when all was searched. Files that cannot be read are passed over in silence. */
function ensureComplete({ ended, exitCode, stderr }: ExecResult): void {
  if (ended === "timeout") {
    throw new ToolError("GREP_FAILED", `The search found nothing in ${searchTimeoutMs / 1000} s and was ended`, {
      hint: "Search a smaller folder, or only some files with glob.",
    });
  }
  const complaint = stderr.trim();
  if (exitCode === 0 || exitCode === 1 || (exitCode !== null && complaint === "")) return;
  throw new ToolError("GREP_FAILED", `The search failed: ${complaint || "ripgrep was ended"}`, {
    hint: "Correct the regular expression, or set literal for plain text.",
  });
}

const isAtOrBelow = (path: string, folder: string) =>
  path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);

const searchArguments = [
  "--no-config",
  "--hidden",
  "--no-require-git",
  "--no-ignore-parent",
  "--no-ignore-global",
  "--no-messages",
  "--color=never",
  "--no-heading",
  "--with-filename",
  "--line-number",
  "--null",
  "--no-context-separator",
  // Bytes, at least as many as the characters that are shown; the rest of a long line never leaves ripgrep.
  `--max-columns=${maxGrepLineLength * 4}`,
  "--max-columns-preview",
];

/** Values are joined to their option with `=`, so that none can be taken for an option of its own. */
function buildArguments(params: GrepParams, limit: number, globOptions: readonly string[]): string[] {
  return [
    ...searchArguments,
    // Per file; one more than is shown tells that there are more.
    `--max-count=${limit + 1}`,
    ...(params.literal ? ["--fixed-strings"] : []),
    ...(params.ignoreCase ? ["--ignore-case"] : []),
    ...(params.context ? [`--context=${params.context}`] : []),
    ...globOptions,
    // Last, because among globs the last one wins.
    "--glob=!.git",
    `--regexp=${params.pattern}`,
  ];
}

async function formatLines(operations: Operations, lines: GrepLine[]): Promise<string> {
  const names = new Map<string, string>();
  const formatted: string[] = [];
  for (const { path, line, isMatch, text } of lines) {
    const name = names.get(path) ?? (await toDisplayPath(operations, path));
    names.set(path, name);
    const mark = isMatch ? ":" : "-";
    formatted.push(`${name}${mark}${line}${mark} ${shortenLine(text, maxGrepLineLength)}`);
  }
  return formatted.join("\n");
}
