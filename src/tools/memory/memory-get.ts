/** `memory_get`: lines of one memory file, as `memory_search` names it. */
import { type Static, Type } from "typebox";
import { ToolError } from "../../base/errors.ts";
import type { Tool } from "../../contracts/tool.ts";
import { markOutside } from "../kit/mark-outside.ts";
import { buildTextResult } from "../kit/text-result.ts";
import { shortenLine } from "../kit/truncate.ts";
import { isFromOthers } from "./from-others.ts";
import type { MemoryToolOptions } from "./memory-search.ts";

const parameters = Type.Object(
  {
    path: Type.String({ minLength: 1, maxLength: 1100 }),
    lines: Type.Optional(
      Type.Union([Type.String(), Type.Integer({ minimum: 1 })], { description: '"10-20", or how many' }),
    ),
    from: Type.Optional(Type.Integer({ minimum: 1 })),
  },
  { additionalProperties: false },
);
type Params = Static<typeof parameters>;

interface MemoryGetDetails {
  path: string;
  fromLine: number;
  toLine: number;
  totalLines: number;
}

export function createMemoryGetTool(options: MemoryToolOptions): Tool<typeof parameters, MemoryGetDetails> {
  const { memory, reader, ownChat } = options;
  return {
    name: "memory_get",
    label: "Memory get",
    description: "Read a memory file, or some of its lines.",
    parameters,
    effect: "read",
    describe: ({ path }) => `memory_get ${shortenLine(path, 80)}`,
    async execute(_id, params) {
      const { text, ...details } = await memory.get(params.path, pickLines(params), reader);
      const { path, fromLine, toLine, totalLines } = details;
      const isForeign = isFromOthers(path, ownChat);
      const isPart = fromLine > 1 || toLine < totalLines;
      const notice = isPart ? `lines ${fromLine}-${toLine} of ${totalLines}` : undefined;
      const result = buildTextResult(isForeign ? markOutside(text, path) : text, details, notice);
      return isForeign ? { ...result, outside: path } : result;
    },
  };
}

function pickLines({ lines, from }: Params): { from: number; to?: number } | undefined {
  if (typeof lines === "number") return { from: from ?? 1, to: (from ?? 1) + lines - 1 };
  if (lines === undefined) return from === undefined ? undefined : { from };
  const match = /^\s*L?(\d{1,9})\s*(?:-\s*L?(\d{1,9}))?\s*$/.exec(lines);
  const first = Number(match?.[1]);
  if (!match || from !== undefined) {
    throw new ToolError("MEMORY_LINES_INVALID", `${JSON.stringify(lines.slice(0, 40))} says no lines`, {
      hint: 'Write "lines": "10-20", or "from": 10 with "lines": 11.',
    });
  }
  return { from: first, to: match[2] === undefined ? first : Number(match[2]) };
}
