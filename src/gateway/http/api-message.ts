/** What was said in a request, in one form for both endpoints; and the parts that both write alike. */
import { pickImageType } from "../../base/image-type.ts";
import { badRequest } from "./openai-error.ts";
import { type Fields, readFields, readText } from "./request-fields.ts";

export interface ApiFile {
  filename: string;
  mimeType?: string;
  data: Buffer;
}

export type ApiPart = { type: "text"; text: string } | { type: "file"; file: ApiFile };

export interface ApiMessage {
  role: "instructions" | "user" | "assistant" | "tool";
  parts: ApiPart[];
}

/** What a client asks for, whichever endpoint it uses. */
export interface ApiRequest {
  model: string;
  /** A conversation's name: kept under it. */
  user: string | undefined;
  messages: ApiMessage[];
  stream: boolean;
}

export const mostMessages = 2_000;
export const mostParts = 200;
const longestFilename = 200;
const longestUser = 256;

/** Empty: none was given. */
export function readUser(fields: Fields): string | undefined {
  const value = fields["user"] ?? "";
  const user = readText(value, "user");
  if (user.length > longestUser) {
    throw badRequest("user", `user has more than ${longestUser} characters.`, "string_above_max_length");
  }
  if (!user.isWellFormed()) throw badRequest("user", "user is not valid Unicode.", "invalid_value");
  return user === "" ? undefined : user;
}

/** Only what lies in the request itself: mom fetches nothing for a stranger's address. */
export function readImage(url: unknown, param: string): ApiPart {
  const { data } = decodeDataUrl(readText(url, param), param);
  const mimeType = pickImageType(data);
  if (mimeType === undefined) {
    throw badRequest(param, "This is no PNG, JPEG, GIF or WebP image.", "invalid_image_format");
  }
  return { type: "file", file: { filename: `image.${mimeType.slice("image/".length)}`, mimeType, data } };
}

/** `{ filename, file_data }`; an upload of OpenAI's (`file_id`) or an address does not exist here. */
export function readFile(value: unknown, param: string): ApiPart {
  const { file_data: source, filename } = readFields(value, param);
  if (typeof source !== "string") {
    throw badRequest(param, "Only files that lie in the request itself (file_data) are taken.", "unsupported_value");
  }
  const name = typeof filename === "string" && filename !== "" ? filename.slice(0, longestFilename) : "file";
  const { mimeType, data } = source.startsWith("data:")
    ? decodeDataUrl(source, `${param}.file_data`)
    : { mimeType: undefined, data: decodeBase64(source, `${param}.file_data`) };
  return { type: "file", file: { filename: name, data, ...(mimeType !== undefined && { mimeType }) } };
}

function decodeDataUrl(url: string, param: string): { mimeType: string | undefined; data: Buffer } {
  // Looked at by hand: a pattern over 20 MB of base64 would hold everybody up.
  const comma = url.indexOf(",");
  const head = comma > 0 && comma < 200 ? url.slice(0, comma).toLowerCase() : "";
  if (!head.startsWith("data:") || !head.endsWith(";base64")) {
    throw badRequest(
      param,
      "Only data: addresses with base64 are taken; mom fetches nothing by address.",
      "invalid_value",
    );
  }
  const mimeType = /^data:([a-z0-9.+-]+\/[a-z0-9.+-]+)/.exec(head)?.[1];
  return { mimeType, data: decodeBase64(url.slice(comma + 1), param) };
}

function decodeBase64(source: string, param: string): Buffer {
  const data = Buffer.from(source, "base64");
  // The decoder skips what is no base64: a line end here and there, but when much is missing this was something else.
  if (data.length === 0 || data.length < Math.floor(source.length * 0.7) - 3) {
    throw badRequest(param, "This is not valid base64.", "invalid_base64");
  }
  return data;
}
