/** `image`: looks at pictures through a model, makes them smaller or of another kind, and has new ones made. */
import { basename, extname } from "node:path";
import { type Static, Type } from "typebox";
import { ToolError } from "../../base/errors.ts";
import type { Operations } from "../../contracts/sandbox.ts";
import type { Tool, ToolResult } from "../../contracts/tool.ts";
import { formatBytes } from "../kit/format-bytes.ts";
import type { ImageFormat, ImageWork, ResizedImage } from "../kit/image-work.ts";
import type { OwnChat } from "../kit/outside-file.ts";
import { buildTextResult } from "../kit/text-result.ts";
import { shortenLine } from "../kit/truncate.ts";
import type { ImageConfig } from "./config.ts";
import { type AskModel, type DescribeDetails, describeImage, toShownImage } from "./describe-image.ts";
import { generateImage } from "./generate-image.ts";
import { type FetchUrl, fetchImage, readImageFile } from "./load-image.ts";
import { type Scratch, saveInScratch } from "./media-file.ts";

/** No side of a picture that can be decoded is longer. */
const anySide = 100_000;

const parameters = Type.Object(
  {
    action: Type.Enum(["describe", "resize", "convert", "generate"], { type: "string" }),
    path: Type.Optional(Type.String()),
    url: Type.Optional(Type.String({ description: "describe only" })),
    question: Type.Optional(Type.String()),
    maxSide: Type.Optional(Type.Integer({ minimum: 1 })),
    format: Type.Optional(Type.Enum(["png", "jpeg", "webp"], { type: "string" })),
    prompt: Type.Optional(Type.String()),
    size: Type.Optional(Type.String({ pattern: "^\\d+x\\d+$" })),
    to: Type.Optional(Type.String({ description: "Output file" })),
  },
  { additionalProperties: false },
);
type ImageParams = Static<typeof parameters>;

export interface SavedDetails {
  action: "resize" | "convert" | "generate";
  path: string;
  mimeType: string;
  width: number;
  height: number;
  bytes: number;
}

export type ImageDetails = DescribeDetails | SavedDetails;

export interface ImageOptions extends Scratch {
  work: Pick<ImageWork, "inspect" | "resize">;
  askModel: AskModel;
  fetchUrl: FetchUrl;
  config: ImageConfig;
  /** Absent: every chat counts as another one. */
  ownChat?: OwnChat;
}

/** What is saved; `from` where it was another size before. */
type Picture = Omit<ResizedImage, "from"> & Partial<Pick<ResizedImage, "from">>;

interface ImageCall extends ImageOptions {
  operations: Operations;
  params: ImageParams;
  signal: AbortSignal;
}

export function createImageTool(operations: Operations, options: ImageOptions): Tool<typeof parameters, ImageDetails> {
  return {
    name: "image",
    label: "Image",
    description: "Ask about (describe), resize, convert or generate a picture.",
    parameters,
    // Looking costs money too, so none of it is simply run again after a crash.
    effect: "external",
    describe: ({ action, path, url, prompt }) => `image ${action} ${shortenLine(path ?? url ?? prompt ?? "", 80)}`,
    locks: async ({ to }) => (to === undefined ? [] : [await operations.resolve(to)]),
    execute: (_id, params, signal) => actions[params.action]({ ...options, operations, params, signal }),
  };
}

const actions: Readonly<Record<ImageParams["action"], (call: ImageCall) => Promise<ToolResult<ImageDetails>>>> = {
  async describe(call) {
    const { operations, params, fetchUrl, signal } = call;
    const { path, url, question } = params;
    if ((path === undefined) === (url === undefined)) throw missing(params, "either path or url");
    const image =
      url === undefined
        ? await readImageFile(operations, path ?? "", call.ownChat)
        : await fetchImage(fetchUrl, url, signal);
    return describeImage(call, image, question, signal);
  },
  async resize(call) {
    const { params } = call;
    if (params.maxSide === undefined) throw missing(params, "maxSide");
    return encode(call, "resize", { maxSide: params.maxSide, format: pickFormat(params) });
  },
  async convert(call) {
    const format = pickFormat(call.params);
    if (format === undefined) throw missing(call.params, "format");
    return encode(call, "convert", { maxSide: call.params.maxSide ?? anySide, format });
  },
  async generate(call) {
    const { params, config, work, signal } = call;
    const prompt = params.prompt?.trim() ?? "";
    if (prompt === "") throw missing(params, "prompt");
    // Before anything is made and paid for.
    pickFormat(params);
    const bytes = await generateImage({ ...call, config: config.generate }, { prompt, size: params.size }, signal);
    const picture = await toPicture(call, bytes);
    // First, for it tells whether it is a picture at all.
    const shown = await toShownImage(work, picture.bytes, signal);
    const saved = await save(call, "generate", "image", picture);
    const image = {
      type: "image" as const,
      data: Buffer.from(shown.bytes).toString("base64"),
      mimeType: shown.mimeType,
    };
    return { ...saved, content: [...saved.content, image] };
  },
};

/** As it came, unless another kind was asked for. */
async function toPicture({ work, params, signal }: ImageCall, bytes: Uint8Array): Promise<Picture> {
  const facts = work.inspect(bytes);
  if (facts === undefined) {
    throw new ToolError("MEDIA_ANSWER_INVALID", "What came as a picture is none", {
      hint: "The operator must check tools.image.generate.",
    });
  }
  const format = pickFormat(params);
  if (format === undefined || facts.mimeType === `image/${format}`) return { ...facts, bytes };
  return work.resize(bytes, { maxSide: anySide, format, signal });
}

async function encode(
  call: ImageCall,
  action: "resize" | "convert",
  { maxSide, format }: { maxSide: number; format: ImageFormat | undefined },
): Promise<ToolResult<ImageDetails>> {
  const { operations, params, work, signal } = call;
  if (params.path === undefined) throw missing(params, "path");
  const { bytes } = await readImageFile(operations, params.path, call.ownChat);
  const picture = await work.resize(bytes, { maxSide, signal, ...(format === undefined ? {} : { format }) });
  return save(call, action, basename(params.path, extname(params.path)), picture);
}

async function save(
  call: ImageCall,
  action: SavedDetails["action"],
  stem: string,
  { bytes, mimeType, width, height, from }: Picture,
): Promise<ToolResult<ImageDetails>> {
  const { operations, params } = call;
  const { to } = params;
  const path = to ?? (await saveInScratch(operations, call, { stem, extension: extensionOf(mimeType), bytes }));
  if (to !== undefined) await operations.writeFile(to, bytes);
  const was = from === undefined ? "" : `, was ${from.width}×${from.height}`;
  const text = `Saved ${path} (${mimeType}, ${width}×${height}${was}, ${formatBytes(bytes.length)}).`;
  return buildTextResult(text, { action, path, mimeType, width, height, bytes: bytes.length });
}

/** What was asked for by name, else by the ending of the output file. The two must not contradict each other. */
function pickFormat({ format, to }: ImageParams): ImageFormat | undefined {
  const byName = to === undefined ? undefined : formatsByExtension[extname(to).toLowerCase()];
  if (format !== undefined && byName !== undefined && format !== byName) {
    throw new ToolError("IMAGE_FORMAT_UNCLEAR", `"${to}" ends like ${byName}, and format is ${format}`, {
      hint: "Make them agree, or leave format out.",
    });
  }
  return format ?? byName;
}

const formatsByExtension: Readonly<Record<string, ImageFormat>> = {
  ".png": "png",
  ".jpg": "jpeg",
  ".jpeg": "jpeg",
  ".webp": "webp",
};

const extensionOf = (mimeType: string) => (mimeType === "image/jpeg" ? "jpg" : mimeType.slice("image/".length));

const missing = ({ action }: ImageParams, what: string) =>
  new ToolError("IMAGE_PARAMETER_MISSING", `"${action}" needs ${what}`);
