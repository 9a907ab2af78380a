/** `grep`: lines that match, found by ripgrep, which sees nothing of what the session may not see. */
import { type Static, Type } from "typebox";
import { ToolError } from "../../base/errors.ts";
import type { ExecResult, Operations } from "../../contracts/sandbox.ts";
import type { Tool } from "../../contracts/tool.ts";
import { toDisplayPath } from "../kit/display-path.ts";
import { maxGrepLineLength } from "../kit/limits.ts";
import { buildTextResult } from "../kit/text-result.ts";
import { shortenLine, truncateHead } from "../kit/truncate.ts";
import { createGrepParser, type GrepLine } from "./parse-ripgrep.ts";

const maxMatches = 100;
const searchTimeoutMs = 60_000;
const parameters = Type.Object(
  {
    pattern: Type.String({ minLength: 1, maxLength: 4000, description: "Regular expression" }),
    path: Type.Optional(Type.String({ minLength: 1, description: "File or folder" })),
    glob: Type.Optional(Type.String({ minLength: 1, maxLength: 1000, description: "Only these files, e.g. *.ts" })),
    literal: Type.Optional(Type.Boolean({ description: "Plain text, no regular expression" })),
    ignoreCase: Type.Optional(Type.Boolean()),
    context: Type.Optional(Type.Integer({ minimum: 0, maximum: 20, description: "Lines around a match" })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: maxMatches })),
  },
  { additionalProperties: false },
);
type GrepParams = Static<typeof parameters>;

interface GrepDetails {
  pattern: string;
  matches: number;
}

export function createGrepTool(operations: Operations): Tool<typeof parameters, GrepDetails> {
  return {
    name: "grep",
    label: "Grep",
    description: `Search file contents; ignored files are left out. At most ${maxMatches} matches, lines cut at ${maxGrepLineLength} characters.`,
    parameters,
    effect: "read",
    describe: ({ pattern, path }) => `grep ${pattern}${path === undefined ? "" : ` in ${path}`}`,
    async execute(_id, params, signal) {
      const { pattern, limit = maxMatches } = params;
      const { lines, hasMore } = await search(operations, params, limit, signal);
      const matches = lines.filter((line) => line.isMatch).length;
      if (matches === 0) return buildTextResult(`Nothing matches ${pattern}.`, { pattern, matches });
      const shown = truncateHead(await formatLines(operations, lines));
      const notices = [
        ...(hasMore ? [`The first ${matches} matches; narrow the pattern, path or glob for the rest`] : []),
        ...(shown.cutBy === undefined ? [] : [`${shown.keptLines} of ${shown.totalLines} lines; ask for less context`]),
      ];
      return buildTextResult(shown.text, { pattern, matches }, notices.length > 0 ? notices.join(". ") : undefined);
    },
  };
}

async function search(operations: Operations, params: GrepParams, limit: number, signal: AbortSignal) {
  const root = await operations.resolve(params.path ?? ".");
  if ((await operations.stat(root)) === undefined) {
    throw new ToolError("FILE_NOT_FOUND", `"${params.path ?? "."}" does not exist`, { hint: "Look with ls or find." });
  }
  const hidden = await operations.hidden();
  const isVisible = (path: string) =>
    isAtOrBelow(path, root) && !hidden.some((hiddenPath) => isAtOrBelow(path, hiddenPath));
  const lines: GrepLine[] = [];
  const enough = new AbortController();
  let matches = 0;
  const take = (line: GrepLine) => {
    if (matches > limit || !isVisible(line.path)) return;
    if (line.isMatch) matches++;
    if (matches > limit) enough.abort();
    else lines.push(line);
  };
  const parse = createGrepParser(take);
  const result = await operations.exec({
    command: { argv: ["rg", ...buildArguments(params, limit), "--", root] },
    timeoutMs: searchTimeoutMs,
    signal: AbortSignal.any([signal, enough.signal]),
    maxOutputBytes: 4096,
    onOutput: (chunk, stream) => stream === "stdout" && parse(chunk),
  });
  if (signal.aborted) throw new ToolError("ABORTED", "The search was stopped");
  if (matches === 0) ensureComplete(result);
  return { lines, hasMore: matches > limit || result.ended === "timeout" };
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
  "--sort=path",
  // Bytes, at least as many as the characters that are shown; the rest of a long line never leaves ripgrep.
  `--max-columns=${maxGrepLineLength * 4}`,
  "--max-columns-preview",
];

/** Values are joined to their option with `=`, so that none can be taken for an option of its own. */
function buildArguments(params: GrepParams, limit: number): string[] {
  return [
    ...searchArguments,
    // Per file; one more than is shown tells that there are more.
    `--max-count=${limit + 1}`,
    ...(params.literal ? ["--fixed-strings"] : []),
    ...(params.ignoreCase ? ["--ignore-case"] : []),
    ...(params.context ? [`--context=${params.context}`] : []),
    ...(params.glob === undefined ? [] : [`--glob=${params.glob}`]),
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
