/** `read`: a text file in pieces, or an image. */
import { Type } from "typebox";
import { ToolError } from "../../base/errors.ts";
import type { Operations } from "../../contracts/sandbox.ts";
import type { Tool, ToolResult } from "../../contracts/tool.ts";
import { formatBytes } from "../kit/format-bytes.ts";
import { maxResultBytes, maxResultLines } from "../kit/limits.ts";
import { type ReadLines, readLines } from "../kit/read-lines.ts";
import { buildTextResult } from "../kit/text-result.ts";

const parameters = Type.Object(
  {
    path: Type.String({ minLength: 1 }),
    offset: Type.Optional(Type.Integer({ minimum: 1, description: "First line, from 1" })),
    limit: Type.Optional(Type.Integer({ minimum: 1, description: "Lines" })),
  },
  { additionalProperties: false },
);

interface ReadDetails {
  path: string;
  lines?: number;
  mimeType?: string;
}

const maxImageBytes = 5 * 1024 * 1024;
const probeBytes = 8192;

export function createReadTool(operations: Operations): Tool<typeof parameters, ReadDetails> {
  return {
    name: "read",
    label: "Read",
    description: `Read a text file or an image (png, jpeg, gif, webp). Text is cut at ${maxResultLines} lines or ${formatBytes(maxResultBytes)}; go on with offset.`,
    parameters,
    effect: "read",
    describe: ({ path }) => `read ${path}`,
    async execute(_id, { path, offset = 1, limit = maxResultLines }, signal) {
      const size = await fileSize(operations, path);
      const mimeType = await operations.imageType(path);
      if (mimeType !== undefined) return readImage(operations, path, mimeType, size);
      await ensureText(operations, path, size);
      const range = { from: offset, maxLines: Math.min(limit, maxResultLines), maxBytes: maxResultBytes };
      const read = await readLines(operations, path, range, signal);
      return toResult(path, offset, size, read);
    },
  };
}

async function fileSize(operations: Operations, path: string): Promise<number> {
  const found = await operations.stat(path);
  if (found === undefined) {
    throw new ToolError("FILE_NOT_FOUND", `"${path}" does not exist`, { hint: "Look for it with ls or find." });
  }
  if (found.type === "folder") {
    throw new ToolError("FILE_NOT_REGULAR", `"${path}" is a folder`, { hint: "Use ls to see what is in it." });
  }
  return found.size;
}

async function readImage(
  operations: Operations,
  path: string,
  mimeType: string,
  size: number,
): Promise<ToolResult<ReadDetails>> {
  if (size > maxImageBytes) {
    throw new ToolError(
      "FILE_TOO_BIG",
      `"${path}" is an image of ${formatBytes(size)}; images up to ${formatBytes(maxImageBytes)} can be read`,
      { hint: "Make a smaller copy of it first." },
    );
  }
  const data = Buffer.from(await operations.readFile(path, { offset: 0, maxBytes: maxImageBytes })).toString("base64");
  return {
    content: [
      { type: "text", text: `${path} (${mimeType}, ${formatBytes(size)})` },
      { type: "image", data, mimeType },
    ],
    details: { path, mimeType },
  };
}

async function ensureText(operations: Operations, path: string, size: number): Promise<void> {
  const probe = await operations.readFile(path, { offset: 0, maxBytes: probeBytes });
  if (!probe.includes(0)) return;
  throw new ToolError("FILE_BINARY", `"${path}" is a binary file (${formatBytes(size)}), not text`, {
    hint: "Only text and images can be read; another program may be able to convert it.",
  });
}

function toResult(path: string, offset: number, size: number, read: ReadLines): ToolResult<ReadDetails> {
  const details = { path, lines: read.lines };
  if (size === 0) return buildTextResult("(the file is empty)", details);
  if (read.lines === 0) {
    throw new ToolError(
      "READ_BEYOND_END",
      `"${path}" has ${read.totalLines ?? 0} lines; line ${offset} is beyond its end`,
      {
        hint: "Use a smaller offset.",
      },
    );
  }
  if (read.isCutInLine) {
    const notice = `Line ${offset} is longer than ${formatBytes(maxResultBytes)}; its beginning is shown. Search in it with grep; the next line is offset=${offset + 1}.`;
    return buildTextResult(read.text, details, notice);
  }
  if (!read.hasMore) return buildTextResult(read.text, details);
  const last = offset + read.lines - 1;
  const notice = `Lines ${offset}-${last} of a file of ${formatBytes(size)}. Go on with offset=${last + 1}.`;
  return buildTextResult(read.text.replace(/\n$/, ""), details, notice);
}
