/** What an answer is and how it can be shown: by its content type, and by its first bytes where that says little. */
import { imageHeaderBytes, pickImageType } from "../../base/image-type.ts";

export type ContentKind =
  | { type: "html" }
  | { type: "text" }
  | { type: "pdf" }
  | { type: "image"; mimeType: string }
  | { type: "binary"; mimeType: string };

const textTypes =
  /^(?:text\/|application\/(?:(?:[\w.-]+\+)?(?:json|xml|yaml)|x-yaml|toml|javascript|ecmascript|x-javascript|x-ndjson|jsonl|graphql|sql|x-sh|rtf|x-www-form-urlencoded|atom|rss)\b|image\/svg)/;
const probeBytes = 1024;

export function pickContentKind(contentType: string, body: Uint8Array): ContentKind {
  const mimeType = contentType.split(";")[0]?.trim().toLowerCase() ?? "";
  const start = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, probeBytes)).toString("latin1");
  const image = pickImageType(body.subarray(0, imageHeaderBytes));
  if (image !== undefined) return { type: "image", mimeType: image };
  if (/^\s*%PDF-/.test(start)) return { type: "pdf" };
  if (mimeType === "text/html" || mimeType === "application/xhtml+xml") return { type: "html" };
  const isMarked =
    start.startsWith("\xff\xfe") || start.startsWith("\xfe\xff") || /charset=["']?utf-?16/i.test(contentType);
  const isText = isMarked || !start.includes("\0");
  const saysLittle = mimeType === "" || mimeType === "application/octet-stream" || mimeType === "text/plain";
  if (saysLittle && isText) return /^\W*<(?:!doctype html|html)\b/i.test(start) ? { type: "html" } : { type: "text" };
  if (textTypes.test(mimeType) && isText) return { type: "text" };
  return { type: "binary", mimeType: mimeType === "" ? "unknown" : mimeType };
}
