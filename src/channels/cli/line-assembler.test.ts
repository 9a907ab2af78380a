import assert from "node:assert/strict";
import { test } from "node:test";
import { type AssembledLine, createLineAssembler } from "./line-assembler.ts";

const texts = (lines: AssembledLine[]) => lines.map((line) => (line.type === "message" ? line.text : line.type));

function assemble(input: string | Buffer, chunkBytes: number, maxBytes = 1_000): string[] {
  const assembler = createLineAssembler(maxBytes);
  const bytes = Buffer.from(input);
  const lines: AssembledLine[] = [];
  for (let at = 0; at < bytes.length; at += chunkBytes)
    lines.push(...assembler.push(bytes.subarray(at, at + chunkBytes)));
  return texts([...lines, ...assembler.end()]);
}

test("one message per line, however the bytes come in", () => {
  for (const chunkBytes of [1, 2, 3, 7, 100]) {
    assert.deepEqual(assemble("héllo\r\n\n  \n你好 👩‍👩‍👧\nlast", chunkBytes), ["héllo", "你好 👩‍👩‍👧", "last"]);
  }
});

test("a backslash at the end of a line continues it", () => {
  assert.deepEqual(assemble("a\\\nb\\\n\nc\nd\\", 4), ["a\nb\n", "c", "d\\"]);
});

test("control characters are kept", () => {
  assert.deepEqual(assemble("a\x1b[31mb\x07\n", 3), ["a\x1b[31mb\x07"]);
});

test("a message that is too long is skipped, and the next one is not", () => {
  assert.deepEqual(assemble(`${"x".repeat(1_001)}\nok\n`, 64), ["too-long", "ok"]);
  assert.deepEqual(assemble(`${"x".repeat(600)}\\\n${"y".repeat(600)}\nok`, 64), ["too-long", "ok"]);
  assert.deepEqual(assemble("x".repeat(1_000), 64), ["x".repeat(1_000)]);
});
