import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createReplyGate } from "./reply-gate.ts";

/** What was let through, piece by piece, and what came at the end. */
function pass(...deltas: string[]): string[] {
  const gate = createReplyGate();
  return [...deltas.map((delta) => gate.push(delta)), gate.end()];
}

describe("the gate of a reply", () => {
  test("lets words through as they come, and spaces only between words", () => {
    assert.deepEqual(pass("\n Hello", " ", "world", ". \n"), ["Hello", "", " world", ".", ""]);
  });

  test("never shows the token for silence", () => {
    for (const deltas of [["[SILENT]"], ["[", "SIL", "ENT", "]", "\n"], [" [SILENT] "]]) {
      assert.equal(pass(...deltas).join(""), "");
    }
  });

  test("shows what only begins like it", () => {
    assert.deepEqual(pass("[SIL", "LY]"), ["", "[SILLY]", ""]);
    assert.deepEqual(pass("[SILENT]", " night"), ["", "[SILENT] night", ""]);
    assert.deepEqual(pass("[SIL"), ["", "[SIL"]);
  });

  test("takes off the tag that says what is answered", () => {
    assert.equal(pass("[[rep", "ly_to_current]", "]\n", "Yes").join(""), "Yes");
    assert.equal(pass("[[reply_to: 12.3]] Yes").join(""), "Yes");
    assert.equal(pass("[[reply_to_current]] [SILENT]").join(""), "");
  });

  test("does not hold back what only looks like a tag for ever", () => {
    assert.equal(pass("[[wiki]] is", " a link").join(""), "[[wiki]] is a link");
    const long = `[[${"x".repeat(300)}`;
    assert.equal(pass(long)[0], long);
    assert.equal(pass("[[").join(""), "[[");
  });
});
