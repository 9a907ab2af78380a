/**
 * As what a file is given to a browser. Whatever could run in mom's own name (pages, SVG, scripts) is bytes to be saved and
 * nothing else; only raster images are shown in place, and only where their first bytes say so.
 */
import { extname } from "node:path";

/** For players and for saving under the right name. None of these is ever run. */
const types: Readonly<Record<string, string>> = {
  ".mp3": "audio/mpeg",
  ".m4a": "audio/mp4",
  ".ogg": "audio/ogg",
  ".opus": "audio/ogg",
  ".wav": "audio/wav",
  ".flac": "audio/flac",
  ".mp4": "video/mp4",
  ".webm": "video/webm",
  ".mov": "video/quicktime",
  ".pdf": "application/pdf",
  ".zip": "application/zip",
  ".txt": "text/plain; charset=utf-8",
  ".md": "text/plain; charset=utf-8",
  ".csv": "text/plain; charset=utf-8",
  ".json": "application/json",
};

export function pickFileType(filename: string, imageType: string | undefined): string {
  return imageType ?? types[extname(filename).toLowerCase()] ?? "application/octet-stream";
}

export function buildDisposition(filename: string, isInline: boolean): string {
  const plain = filename.replace(/[^\x20-\x7e]|["\\%/]/g, "_").slice(0, 100);
  const whole = encodeURIComponent(filename.replace(/[\0-\x1f\x7f/\\]/g, "_").toWellFormed()).replace(
    /['()*]/g,
    encodeCharacter,
  );
  return `${isInline ? "inline" : "attachment"}; filename="${plain}"; filename*=UTF-8''${whole}`;
}

const encodeCharacter = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
