/** Pictures through the real thread: smaller, of another kind, upright, within bytes; what cannot be decoded is refused. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { buildPng, buildPngFile, type Colour, colourAt, withOrientation } from "../../../test/fakes/images.ts";
import { createSystemClock } from "../../base/clock.ts";
import { createImageWork } from "./image-work.ts";
import { turnPixels } from "./turn-pixels.ts";

function open(t: TestContext) {
  const work = createImageWork({ clock: createSystemClock() });
  t.after(() => work.close());
  return work;
}

const red: Colour = [255, 0, 0, 255];
const blue: Colour = [0, 0, 255, 255];
const noise = (x: number, y: number): Colour => {
  const value = Math.imul(x * 2654435761 + y * 40503, 2246822519) >>> 0;
  return [value & 255, (value >> 8) & 255, (value >> 16) & 255, 255];
};

test("makes a large image fit, keeps its kind and its proportions", async (t) => {
  const work = open(t);
  const { bytes, ...facts } = await work.resize(
    buildPng(300, 200, (x) => (x < 150 ? red : blue)),
    { maxSide: 30 },
  );
  assert.deepEqual(facts, { mimeType: "image/png", width: 30, height: 20, from: { width: 300, height: 200 } });
  assert.deepEqual(work.inspect(bytes), { mimeType: "image/png", width: 30, height: 20 });
});

test("does not make a small one larger, and never loses a side altogether", async (t) => {
  const work = open(t);
  const small = await work.resize(
    buildPng(4, 3, () => red),
    { maxSide: 2000 },
  );
  assert.deepEqual([small.width, small.height], [4, 3]);
  const thread = await work.resize(
    buildPng(400, 1, () => red),
    { maxSide: 20 },
  );
  assert.deepEqual([thread.width, thread.height], [20, 1]);
});

test("converts between kinds", async (t) => {
  const work = open(t);
  const png = buildPng(40, 30, noise);
  for (const format of ["jpeg", "webp", "png"] as const) {
    const { bytes, mimeType } = await work.resize(png, { maxSide: 40, format });
    assert.equal(mimeType, `image/${format}`);
    assert.deepEqual(work.inspect(bytes), { mimeType, width: 40, height: 30 });
    const back = await work.resize(bytes, { maxSide: 20 });
    assert.deepEqual([back.mimeType, back.width, back.height], [mimeType, 20, 15]);
  }
  const gif = Buffer.from("R0lGODlhAQABAIAAAP8AAAAAACwAAAAAAQABAAACAkQBADs=", "base64");
  assert.equal((await work.resize(gif, { maxSide: 10 })).mimeType, "image/png");
});

test("stays within the bytes asked for: JPEG, lower quality, then fewer pixels; a kind that was asked for stays", async (t) => {
  const work = open(t);
  const png = buildPng(400, 400, noise);
  const asJpeg = await work.resize(png, { maxSide: 400, maxBytes: 200_000 });
  assert.deepEqual([asJpeg.mimeType, asJpeg.width], ["image/jpeg", 400]);
  assert.ok(asJpeg.bytes.length <= 200_000);
  const smaller = await work.resize(png, { maxSide: 400, maxBytes: 20_000 });
  assert.ok(smaller.bytes.length <= 20_000 && smaller.width < 400, `${smaller.width}`);
  const stillPng = await work.resize(png, { maxSide: 400, maxBytes: 100_000, format: "png" });
  assert.ok(stillPng.mimeType === "image/png" && stillPng.bytes.length <= 100_000);
  await assert.rejects(work.resize(png, { maxSide: 400, maxBytes: 10 }), { code: "IMAGE_UNREADABLE" });
});

test("turns a photograph upright as its camera was held", async (t) => {
  const work = open(t);
  // Red on the left, blue on the right; turned clockwise, red is on top.
  const { bytes } = await work.resize(
    buildPng(64, 32, (x) => (x < 32 ? red : blue)),
    { maxSide: 64, format: "jpeg" },
  );
  const photo = withOrientation(bytes, 6);
  assert.deepEqual(work.inspect(photo), { mimeType: "image/jpeg", width: 32, height: 64 });
  const upright = await work.resize(photo, { maxSide: 64, format: "png" });
  assert.deepEqual([upright.width, upright.height, upright.from], [32, 64, { width: 32, height: 64 }]);
  const [topRed, , topBlue] = colourAt(upright.bytes, 16, 8);
  const [bottomRed, , bottomBlue] = colourAt(upright.bytes, 16, 56);
  assert.ok(topRed > 240 && topBlue < 15, "red is on top");
  assert.ok(bottomRed < 15 && bottomBlue > 240, "blue is below");
});

test("turns pixels in each of the eight ways", () => {
  // 1 2 3
  // 4 5 6
  const pixels = { data: new Uint8Array([1, 2, 3, 4, 5, 6].flatMap((n) => [n, 0, 0, 0])), width: 3, height: 2 };
  const shown = ["123456", "321654", "654321", "456123", "142536", "415263", "635241", "362514"];
  for (const [at, expected] of shown.entries()) {
    const turned = turnPixels(pixels, at + 1);
    assert.equal([...turned.data].filter((_, i) => i % 4 === 0).join(""), expected, `orientation ${at + 1}`);
    assert.equal(turned.width, at < 4 ? 3 : 2);
  }
});

test("puts white behind what is transparent when it becomes JPEG", async (t) => {
  const work = open(t);
  const clear = await work.resize(
    buildPng(8, 8, () => [0, 0, 0, 0]),
    { maxSide: 8, format: "jpeg" },
  );
  const white = await work.resize(
    buildPng(8, 8, () => [255, 255, 255, 255]),
    { maxSide: 8, format: "jpeg" },
  );
  assert.deepEqual(clear.bytes, white.bytes);
});

test("refuses what is too large before decoding it, what is damaged, and what is no image; and goes on", async (t) => {
  const work = open(t);
  const bomb = buildPngFile(30_000, 30_000, new Uint8Array(10));
  await assert.rejects(work.resize(bomb, { maxSide: 10 }), { code: "IMAGE_TOO_LARGE", message: /30000×30000/ });
  const whole = buildPng(50, 50, noise);
  await assert.rejects(work.resize(whole.subarray(0, 400), { maxSide: 10 }), { code: "IMAGE_UNREADABLE" });
  await assert.rejects(work.resize(Buffer.from("no image at all"), { maxSide: 10 }), { code: "IMAGE_UNREADABLE" });
  assert.equal((await work.resize(whole, { maxSide: 10 })).width, 10);
});

test("leaves an image as it is that needs no change, where that is wanted", async (t) => {
  const work = open(t);
  const png = buildPng(80, 40, noise);
  const kept = await work.resize(png, { maxSide: 80, mayKeep: true });
  assert.ok(Buffer.from(kept.bytes).equals(png));
  assert.deepEqual([kept.mimeType, kept.width, kept.height], ["image/png", 80, 40]);
  for (const change of [
    { maxSide: 79 },
    { maxSide: 80, format: "jpeg" as const },
    { maxSide: 80, maxBytes: png.length - 1 },
  ]) {
    const changed = await work.resize(png, { ...change, mayKeep: true });
    assert.ok(!Buffer.from(changed.bytes).equals(png), JSON.stringify(change));
  }
  const { bytes } = await work.resize(png, { maxSide: 80, format: "jpeg" });
  const turned = await work.resize(withOrientation(bytes, 3), { maxSide: 80, mayKeep: true });
  assert.ok(!Buffer.from(turned.bytes).equals(bytes));
  await assert.rejects(work.resize(png.subarray(0, 100), { maxSide: 80, mayKeep: true }), { code: "IMAGE_UNREADABLE" });
});

test("stops when aborted", async (t) => {
  const work = open(t);
  const png = buildPng(10, 10, () => red);
  await assert.rejects(work.resize(png, { maxSide: 5, signal: AbortSignal.abort() }), { code: "ABORTED" });
});
