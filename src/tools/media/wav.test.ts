/** A WAV file from a pipe gets its true lengths; what is none is told. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { finishWav } from "./wav.ts";

/** 16 bits, one channel, 22,050 a second, with the length that espeak-ng makes up. */
function buildWav(soundBytes: number, extra = Buffer.alloc(0)): Buffer {
  const header = Buffer.from("5249464624f0ff7f57415645666d742010000000010001002256000044ac000002001000", "hex");
  return Buffer.concat([header, extra, Buffer.from("6461746100f0ff7f", "hex"), Buffer.alloc(soundBytes, 7)]);
}

test("the lengths become the true ones, and the sound stays as it is", () => {
  const wav = finishWav(buildWav(44_100));
  assert.ok(wav);
  const data = Buffer.from(wav.bytes);
  assert.deepEqual([data.readUInt32LE(4), data.readUInt32LE(40)], [44_100 + 36, 44_100]);
  assert.equal(wav.durationMs, 1000);
  assert.ok(data.subarray(44).every((byte) => byte === 7));
});

test("chunks before the sound are passed over", () => {
  const list = Buffer.from("4c49535404000000494e464f", "hex");
  const wav = finishWav(buildWav(100, list));
  assert.equal(wav && Buffer.from(wav.bytes).readUInt32LE(40 + list.length), 100);
});

test("what is no WAV, is cut off or has no sound is none", () => {
  const whole = buildWav(0);
  assert.equal(finishWav(whole), undefined);
  for (let length = 0; length < whole.length; length++) assert.equal(finishWav(whole.subarray(0, length)), undefined);
  assert.equal(finishWav(Buffer.from("<html>")), undefined);
  const hostile = buildWav(10, Buffer.from("4c495354ffffffff", "hex"));
  assert.equal(finishWav(hostile), undefined);
});
