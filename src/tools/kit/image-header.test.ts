/** What an image's header tells, and that nothing is told of what is none. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { buildPng } from "../../../test/fakes/images.ts";
import { parseImageHeader } from "./image-header.ts";

const png = buildPng(3, 2, () => [0, 0, 0, 255]);

const webp = (kind: string, body: number[], after: number[] = []) =>
  Buffer.concat([
    Buffer.from("RIFF\0\0\0\0WEBP", "latin1"),
    Buffer.from(kind, "latin1"),
    Buffer.from([body.length, 0, 0, 0, ...body, ...after]),
  ]);
const lossy = [0, 0, 0, 0x9d, 0x01, 0x2a, 0x40, 0x01, 0xf0, 0x40];

test("tells kind and size of each kind of image", () => {
  const gif = Buffer.from("GIF89a\x05\x01\x07\x00", "latin1");
  const lossless = 319 | (239 << 14);
  const cases: [Buffer, string, number, number][] = [
    [png, "image/png", 3, 2],
    [gif, "image/gif", 261, 7],
    [webp("VP8 ", lossy), "image/webp", 320, 240],
    [
      webp("VP8L", [0x2f, lossless & 255, (lossless >> 8) & 255, (lossless >> 16) & 255, lossless >>> 24]),
      "image/webp",
      320,
      240,
    ],
    [webp("VP8X", [0, 0, 0, 0, 0x3f, 0x01, 0, 0xef, 0, 0]), "image/webp", 320, 240],
    [Buffer.from("ffd8ffffe00002ffc2000b0801f4032003", "hex"), "image/jpeg", 800, 500],
  ];
  for (const [bytes, mimeType, width, height] of cases) {
    assert.deepEqual(parseImageHeader(bytes), { mimeType, width, height, orientation: 1 }, mimeType);
  }
});

test("knows nothing of what is no image, is cut off, has no pixels, or no frame", () => {
  for (const bytes of [
    Buffer.from("hello, I am text"),
    Buffer.alloc(0),
    png.subarray(0, 20),
    Buffer.from("GIF89a\x00\x00\x07\x00", "latin1"),
    Buffer.from("ffd8ffe0", "hex"),
    Buffer.from("ffd8ffda000200", "hex"),
    Buffer.from("ffd8ffe00000ffc2000b0801f4032003", "hex"),
    webp("ODD ", lossy),
  ]) {
    assert.equal(parseImageHeader(bytes), undefined, bytes.toString("hex", 0, 24));
  }
});

test("refuses a frame that is larger than the canvas it comes on", () => {
  const frame = [..."VP8 "].map((letter) => letter.charCodeAt(0));
  const small = [0, 0, 0, 0, 9, 0, 0, 9, 0, 0];
  assert.equal(parseImageHeader(webp("VP8X", small, [...frame, 10, 0, 0, 0, ...lossy])), undefined);
});
