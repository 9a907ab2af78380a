/**
 * Reads what an image says about itself in its first bytes, without decoding it: kind, size and how a camera was held.
 * Whoever decodes looks here first, because a few bytes of file can ask for gigabytes of pixels.
 */
import { pickImageType } from "../../base/image-type.ts";

export interface ImageHeader {
  mimeType: string;
  /** Pixels as stored. */
  width: number;
  height: number;
  /** EXIF, 1 to 8; from 5 on, width and height change places when it is shown. */
  orientation: number;
}

interface Size {
  width: number;
  height: number;
}

/** Undefined for what is no PNG, JPEG, GIF or WebP, or whose header is not whole. */
export function parseImageHeader(bytes: Uint8Array): ImageHeader | undefined {
  const mimeType = pickImageType(bytes);
  const parse = mimeType === undefined ? undefined : parsers[mimeType];
  if (mimeType === undefined || parse === undefined) return undefined;
  try {
    const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const found = parse(data);
    if (found === undefined || found.width === 0 || found.height === 0) return undefined;
    return { mimeType, orientation: 1, ...found };
  } catch (error) {
    // Buffer's way to say that the file ends in the middle of its header.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const parsers: Readonly<Record<string, (data: Buffer) => (Size & { orientation?: number }) | undefined>> = {
  "image/png": (data) => ({ width: data.readUInt32BE(16), height: data.readUInt32BE(20) }),
  "image/gif": (data) => ({ width: data.readUInt16LE(6), height: data.readUInt16LE(8) }),
  "image/jpeg": parseJpeg,
  "image/webp": parseWebp,
};

/** Walks the segments up to the frame header; the orientation stands before it. */
function parseJpeg(data: Buffer): (Size & { orientation: number }) | undefined {
  let orientation = 1;
  for (let at = 2; ; ) {
    if (data.readUInt8(at) !== 0xff) return undefined;
    const marker = data.readUInt8(at + 1);
    if (marker === 0xff) {
      at++;
      continue;
    }
    const length = data.readUInt16BE(at + 2);
    if (isFrameMarker(marker)) {
      return { width: data.readUInt16BE(at + 7), height: data.readUInt16BE(at + 5), orientation };
    }
    // The picture itself begins, and no frame header has come.
    if (marker === 0xda || marker === 0xd9 || length < 2) return undefined;
    if (marker === 0xe1) orientation = parseOrientation(data.subarray(at + 4, at + 2 + length)) ?? orientation;
    at += 2 + length;
  }
}

/** SOF0 to SOF15, without the three numbers in between that mean something else. */
const isFrameMarker = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

const orientationTag = 0x0112;

function parseOrientation(segment: Buffer): number | undefined {
  if (!segment.toString("latin1", 0, 6).startsWith("Exif\0\0")) return undefined;
  const tiff = segment.subarray(6);
  try {
    const isLittle = tiff.toString("latin1", 0, 2) === "II";
    const short = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
    const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
    const count = short(directory);
    for (let n = 0; n < count; n++) {
      const entry = directory + 2 + n * 12;
      if (short(entry) !== orientationTag) continue;
      const value = short(entry + 8);
      return value >= 1 && value <= 8 ? value : undefined;
    }
    return undefined;
  } catch (error) {
    // Broken camera data do not break the picture.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const chunkHeaderBytes = 8;

function parseWebp(data: Buffer): Size | undefined {
  const firstChunk = 12;
  const kind = data.toString("latin1", firstChunk, firstChunk + 4);
  const body = firstChunk + chunkHeaderBytes;
  if (kind !== "VP8X") return parseWebpFrame(kind, data.subarray(body));
  const canvas = { width: 1 + data.readUIntLE(body + 4, 3), height: 1 + data.readUIntLE(body + 7, 3) };
  const frame = findWebpFrame(data, body + data.readUInt32LE(firstChunk + 4));
  // A frame larger than its canvas is a trap for whoever trusts the canvas.
  if (frame !== undefined && (frame.width > canvas.width || frame.height > canvas.height)) return undefined;
  return canvas;
}

function parseWebpFrame(kind: string, body: Buffer): Size | undefined {
  if (kind === "VP8 ") return { width: body.readUInt16LE(6) & 0x3fff, height: body.readUInt16LE(8) & 0x3fff };
  if (kind !== "VP8L") return undefined;
  const bits = body.readUInt32LE(1);
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
}

/** The still picture behind an extended header; undefined for animations, whose frames are parts of the canvas. */
function findWebpFrame(data: Buffer, from: number): Size | undefined {
  for (let at = from; at + chunkHeaderBytes <= data.length; ) {
    const kind = data.toString("latin1", at, at + 4);
    const length = data.readUInt32LE(at + 4);
    if (kind.startsWith("VP8")) return parseWebpFrame(kind, data.subarray(at + chunkHeaderBytes));
    at += chunkHeaderBytes + length + (length % 2);
  }
  return undefined;
}
