/** Small image files made byte by byte, so that tests know every pixel: PNG, and what cameras write into JPEG. */
import { crc32, deflateSync, inflateSync } from "node:zlib";

/** Red, green, blue, opacity. */
export type Colour = readonly [number, number, number, number];

export function buildPng(width: number, height: number, colourAt: (x: number, y: number) => Colour): Buffer {
  const rows = Buffer.alloc(height * (1 + width * 4));
  for (let y = 0, at = 0; y < height; y++) {
    at++;
    for (let x = 0; x < width; x++, at += 4) rows.set(colourAt(x, y), at);
  }
  return buildPngFile(width, height, deflateSync(rows, { level: 1 }));
}

/** A header that claims a size, with any data behind it. */
export function buildPngFile(width: number, height: number, data: Uint8Array): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const signature = Buffer.from("89504e470d0a1a0a", "hex");
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", data), chunk("IEND", new Uint8Array())]);
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** The colour of one pixel of a PNG with eight bits for each of four channels. */
export function colourAt(png: Uint8Array, x: number, y: number): Colour {
  const data = Buffer.from(png);
  const width = data.readUInt32BE(16);
  const parts: Buffer[] = [];
  for (let at = 8; at < data.length; at += 12 + data.readUInt32BE(at)) {
    if (data.toString("latin1", at + 4, at + 8) === "IDAT")
      parts.push(data.subarray(at + 8, at + 8 + data.readUInt32BE(at)));
  }
  const rows = inflateSync(Buffer.concat(parts));
  const rowBytes = 1 + width * 4;
  const at = (row: number, n: number) => (row < 0 || n < 1 ? 0 : (rows[row * rowBytes + n] ?? 0));
  for (let row = 0; row <= y; row++) {
    for (let n = 1; n < rowBytes; n++) {
      const [left, up, corner] = [at(row, n - 4), at(row - 1, n), at(row - 1, n - 4)];
      const guess = [0, left, up, (left + up) >> 1, nearestOf(left, up, corner)][rows[row * rowBytes] ?? 0] ?? 0;
      rows[row * rowBytes + n] = at(row, n) + guess;
    }
  }
  const start = 1 + x * 4;
  return [at(y, start), at(y, start + 1), at(y, start + 2), at(y, start + 3)];
}

/** PNG's fifth way to guess a byte: whichever neighbour is nearest to left + up - corner. */
function nearestOf(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const far = (value: number) => Math.abs(guess - value);
  if (far(left) <= far(up) && far(left) <= far(corner)) return left;
  return far(up) <= far(corner) ? up : corner;
}

/** The same JPEG with EXIF data that say how the camera was held. */
export function withOrientation(jpeg: Uint8Array, orientation: number): Buffer {
  const tiff = Buffer.from("4d4d002a00000008000101120003000000010000000000000000", "hex");
  tiff.writeUInt16BE(orientation, 18);
  const body = Buffer.concat([Buffer.from("Exif\0\0", "latin1"), tiff]);
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(body.length + 2, 2);
  return Buffer.concat([jpeg.subarray(0, 2), head, body, jpeg.subarray(2)]);
}
