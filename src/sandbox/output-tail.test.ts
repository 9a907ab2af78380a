import assert from "node:assert/strict";
import { it } from "node:test";
import { createOutputTail } from "./output-tail.ts";

const bytes = (text: string) => Buffer.from(text);

it("keeps everything while it fits", () => {
  const tail = createOutputTail(10);
  for (const part of ["ab", "cd"]) tail.push(bytes(part));
  assert.equal(tail.text(), "abcd");
  tail.push(bytes("ef"));
  assert.equal(tail.text(), "abcdef");
});

it("keeps the last bytes of a long stream, whatever the size of its parts", () => {
  const tail = createOutputTail(1000);
  for (let i = 0; i < 100_000; i++) tail.push(bytes(String(i % 10)));
  tail.push(bytes("x".repeat(500_000)));
  tail.push(bytes("end"));
  assert.equal(tail.text(), `${"x".repeat(997)}end`);
});

it("leaves out a character that the cut went through", () => {
  const tail = createOutputTail(6);
  tail.push(bytes("😀😀"));
  assert.equal(tail.text(), "😀");
});

it("keeps nothing when nothing is asked for", () => {
  const tail = createOutputTail(0);
  tail.push(bytes("abc"));
  assert.equal(tail.text(), "");
});
