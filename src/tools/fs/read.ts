/** `read`: a text file in pieces, or an image. */
import { Type } from "typebox";
import { ToolError } from "../../base/errors.ts";
import type { Operations } from "../../contracts/sandbox.ts";
import type { Tool, ToolResult } from "../../contracts/tool.ts";
import { formatBytes } from "../kit/format-bytes.ts";
import type { ImageWork } from "../kit/image-work.ts";
import { maxImageBytes, maxImageSide, maxResultBytes, maxResultLines } from "../kit/limits.ts";
import { markOutside } from "../kit/mark-outside.ts";
import { createOutsideCheck, type OwnChat } from "../kit/outside-file.ts";
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
  /** Of an image, as the model gets it. */
  image?: ImageDetails & { from: ImageDetails };
}

interface ImageDetails {
  mimeType: string;
  width: number;
  height: number;
  bytes: number;
}

export interface ReadOptions {
  imageWork: ImageWork;
  /** Absent: every chat counts as another one. */
  ownChat?: OwnChat;
}

const maxImageFileBytes = 50 * 1024 * 1024;
const probeBytes = 8192;

export function createReadTool(
  operations: Operations,
  { imageWork, ownChat }: ReadOptions,
): Tool<typeof parameters, ReadDetails> {
  return {
    name: "read",
    label: "Read",
    description: `Read a text file or an image (png, jpeg, gif, webp). Text is cut at ${maxResultLines} lines or ${formatBytes(maxResultBytes)}; go on with offset.`,
    parameters,
    effect: "read",
    describe: ({ path }) => `read ${path}`,
    async execute(_id, { path, offset = 1, limit = maxResultLines }, signal) {
      const size = await fileSize(operations, path);
      const isFromOutside = await createOutsideCheck(operations, ownChat);
      const outside = isFromOutside(await operations.resolve(path)) ? path : undefined;
      const mark = (result: ToolResult<ReadDetails>) => (outside === undefined ? result : { ...result, outside });
      if ((await operations.imageType(path)) !== undefined) {
        return mark(await readImage(operations, imageWork, path, size, signal));
      }
      await ensureText(operations, path, size);
      const range = { from: offset, maxLines: Math.min(limit, maxResultLines), maxBytes: maxResultBytes };
      const read = await readLines(operations, path, range, signal);
      return mark(toResult(path, offset, size, read, outside));
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

/** Every image is decoded before a model gets it: a broken one would make each later request of the session fail. */
async function readImage(
  operations: Operations,
  imageWork: ImageWork,
  path: string,
  size: number,
  signal: AbortSignal,
): Promise<ToolResult<ReadDetails>> {
  if (size > maxImageFileBytes) {
    throw new ToolError(
      "FILE_TOO_BIG",
      `"${path}" is an image of ${formatBytes(size)}; images up to ${formatBytes(maxImageFileBytes)} can be read`,
      { hint: "Make a smaller copy of it first." },
    );
  }
  const original = await operations.readFile(path, { offset: 0, maxBytes: maxImageFileBytes });
  const wanted = { maxSide: maxImageSide, maxBytes: maxImageBytes, mayKeep: true, signal };
  const { bytes, mimeType, width, height, from } = await imageWork.resize(original, wanted);
  const fromType = imageWork.inspect(original)?.mimeType ?? mimeType;
  const was = { mimeType: fromType, ...from, bytes: original.length };
  const now = { mimeType, width, height, bytes: bytes.length };
  const isSame = mimeType === fromType && width === from.width && bytes.length === original.length;
  return {
    content: [
      { type: "text", text: `${path} (${formatImage(was)}${isSame ? "" : `; shown as ${formatImage(now)}`})` },
      { type: "image", data: Buffer.from(bytes).toString("base64"), mimeType },
    ],
    details: { path, image: { ...now, from: was } },
  };
}

const formatImage = ({ mimeType, width, height, bytes }: ImageDetails) =>
  `${mimeType}, ${width}×${height}, ${formatBytes(bytes)}`;

async function ensureText(operations: Operations, path: string, size: number): Promise<void> {
  const probe = await operations.readFile(path, { offset: 0, maxBytes: probeBytes });
  if (!probe.includes(0)) return;
  throw new ToolError("FILE_BINARY", `"${path}" is a binary file (${formatBytes(size)}), not text`, {
    hint: "Only text and images can be read; another program may be able to convert it.",
  });
}

/** `outside`: where the text came from, if it must be marked. */
function toResult(
  path: string,
  offset: number,
  size: number,
  read: ReadLines,
  outside: string | undefined,
): ToolResult<ReadDetails> {
  const details = { path, lines: read.lines };
  const mark = (text: string) => (outside === undefined ? text : markOutside(text, outside));
  if (size === 0) return buildTextResult("(the file is empty)", details);
  if (read.lines === 0) {
    throw new ToolError(
      "READ_BEYOND_END",
      `"${path}" has ${read.totalLines ?? 0} lines; line ${offset} is beyond its end`,
      { hint: "Use a smaller offset." },
    );
  }
  if (read.isCutInLine) {
    const notice = `Line ${offset} is longer than ${formatBytes(maxResultBytes)}; its beginning is shown. Search in it with grep; the next line is offset=${offset + 1}.`;
    return buildTextResult(mark(read.text), details, notice);
  }
  if (!read.hasMore) return buildTextResult(mark(read.text), details);
  const last = offset + read.lines - 1;
  const notice = `Lines ${offset}-${last} of a file of ${formatBytes(size)}. Go on with offset=${last + 1}.`;
  return buildTextResult(mark(read.text.replace(/\n$/, "")), details, notice);
}
