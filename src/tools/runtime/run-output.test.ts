/** Output of a background run: each part once, the end of what is too much, no character cut in two. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createRunOutput } from "./run-output.ts";

test("gives what is new, once", () => {
  const output = createRunOutput(100);
  output.push(Buffer.from("one\n"));
  output.push(Buffer.from("two\n"));
  assert.equal(output.unread, 8);
  assert.deepEqual(output.take(false), { text: "one\ntwo\n", lostBytes: 0 });
  assert.deepEqual(output.take(false), { text: "", lostBytes: 0 });
  output.push(Buffer.from("three"));
  assert.deepEqual(output.take(true), { text: "three", lostBytes: 0 });
  assert.equal(output.total, 13);
});

test("keeps the end of what is too much, and says how much is gone", () => {
  const output = createRunOutput(10);
  for (let n = 0; n < 50; n++) output.push(Buffer.from("0123456789"));
  output.push(Buffer.from("the end"));
  assert.deepEqual(output.take(false), { text: "789the end", lostBytes: 497 });
  assert.deepEqual(output.take(false), { text: "", lostBytes: 0 });
});

test("waits for the rest of a character, and cuts none in two", () => {
  const output = createRunOutput(100);
  const bytes = Buffer.from("aä€😀");
  for (const byte of bytes.subarray(0, -1)) output.push(Uint8Array.of(byte));
  assert.equal(output.take(false).text, "aä€");
  assert.equal(output.unread, 3);
  output.push(bytes.subarray(-1));
  assert.equal(output.take(false).text, "😀");
  output.push(bytes.subarray(-4, -2));
  assert.equal(output.take(true).text, "\ufffd");
  const narrow = createRunOutput(5);
  narrow.push(Buffer.from("€€€"));
  assert.deepEqual(narrow.take(false), { text: "€", lostBytes: 6 });
});
