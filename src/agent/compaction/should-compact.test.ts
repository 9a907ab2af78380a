import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { shouldCompact } from "./should-compact.ts";

describe("shouldCompact", () => {
  const rows: [name: string, tokens: number, contextWindow: number, maxOutputTokens: number, expected: boolean][] = [
    ["large window, large answers: 16,384 are reserved", 200_000 - 16_384, 200_000, 64_000, false],
    ["one token more", 200_000 - 16_383, 200_000, 64_000, true],
    ["a model with short answers reserves those", 195_904, 200_000, 4096, false],
    ["one token more", 195_905, 200_000, 4096, true],
    ["a small window reserves a quarter", 6000, 8000, 8000, false],
    ["one token more", 6001, 8000, 8000, true],
    ["answers of unknown length: a quarter or 16,384", 6001, 8000, 0, true],
  ];
  for (const [name, tokens, contextWindow, maxOutputTokens, expected] of rows) {
    test(`${name}: ${tokens} of ${contextWindow}`, () => {
      assert.equal(shouldCompact({ tokens, contextWindow, maxOutputTokens }), expected);
    });
  }
});
