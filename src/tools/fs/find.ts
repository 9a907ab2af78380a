/** `find`: files by glob pattern. */
import { join } from "node:path";
import { Type } from "typebox";
import { ToolError } from "../../base/errors.ts";
import type { Operations } from "../../contracts/sandbox.ts";
import type { Tool } from "../../contracts/tool.ts";
import { toDisplayPath } from "../kit/display-path.ts";
import { buildTextResult } from "../kit/text-result.ts";
import { truncateHead } from "../kit/truncate.ts";

const maxFiles = 1000;
const parameters = Type.Object(
  {
    pattern: Type.String({ minLength: 1, maxLength: 1000, description: "Glob, e.g. *.md or src/**/*.ts" }),
    path: Type.Optional(Type.String({ minLength: 1, description: "Folder to search" })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: maxFiles })),
  },
  { additionalProperties: false },
);

interface FindDetails {
  pattern: string;
  path: string;
  files: number;
}

export function createFindTool(operations: Operations): Tool<typeof parameters, FindDetails> {
  return {
    name: "find",
    label: "Find",
    description: `Find files by glob pattern; ignored files are left out. At most ${maxFiles}.`,
    parameters,
    effect: "read",
    describe: ({ pattern, path }) => `find ${pattern}${path === undefined ? "" : ` in ${path}`}`,
    async execute(_id, { pattern, path = ".", limit = maxFiles }, signal) {
      await ensureFolder(operations, path);
      // One more than asked for tells whether there are more.
      const found = await operations.glob(pattern, { root: path, limit: limit + 1, signal });
      const prefix = await toDisplayPath(operations, await operations.resolve(path));
      const names = found.slice(0, limit).map((name) => join(prefix, name).replaceAll("\n", "\\n"));
      const { text, keptLines: files } = truncateHead(names.join("\n"));
      const details = { pattern, path, files };
      if (found.length === 0) return buildTextResult(`No file matches ${pattern}.`, details);
      const notice = `The first ${files} files; narrow the pattern or the path for the rest`;
      return buildTextResult(text, details, files < found.length ? notice : undefined);
    },
  };
}

async function ensureFolder(operations: Operations, path: string): Promise<void> {
  const found = await operations.stat(path);
  if (found?.type === "folder") return;
  throw new ToolError("FOLDER_NOT_FOUND", `"${path}" ${found === undefined ? "does not exist" : "is not a folder"}`, {
    hint: "Give the folder to search, or leave path out.",
  });
}
