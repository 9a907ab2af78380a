import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createNeutraliser, neutralise, neutraliseLine } from "./neutralise.ts";

describe("neutralise", () => {
  const cases: [string, string, string][] = [
    ["colours", "a\x1b[31mred\x1b[0m", "ared"],
    ["cursor movement and erasing", "a\x1b[2J\x1b[Hb", "ab"],
    ["a window title", "a\x1b]0;owned\x07b", "ab"],
    ["the clipboard, ended by ST", "a\x1b]52;c;aGFjaw==\x1b\\b", "ab"],
    ["a device control string", "a\x1bPq#0;2\x1b\\b", "ab"],
    ["C1 forms of the same", "a\x9b31mb\x9d0;t\x9cc\x90x\x9cd", "abcd"],
    ["an unfinished sequence", "a\x1b]0;never ended", "a0;never ended"],
    ["two escapes in a row", "a\x1b\x1b[2Jb", "ab"],
    ["a full reset", "a\x1bcb", "ab"],
    ["bell, backspace, delete and NUL", "a\x07\x08\x7f\x00b", "ab"],
    ["characters that reorder text", "a\u202eexe.gpj\u202c\u2066x\u2069", "aexe.gpjx"],
    ["line ends of all kinds", "a\r\nb\rc\nd", "a\nb\nc\nd"],
    ["what is harmless", "tab\tnew\nlíne 👩‍👩‍👧 \u200f", "tab\tnew\nlíne 👩‍👩‍👧 \u200f"],
  ];
  for (const [name, dirty, clean] of cases) test(name, () => assert.equal(neutralise(dirty), clean));

  test("nothing that a terminal obeys is left of any two characters", () => {
    for (let first = 0; first < 0xa0; first++) {
      const text = neutralise(`${String.fromCharCode(first)}[2J\x1b${String.fromCharCode(first)}0;x`);
      assert.doesNotMatch(text, /[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
    }
  });

  test("takes no longer than it must for many unfinished sequences", () => {
    assert.equal(neutralise("\x1b]".repeat(200_000)).length, 0);
  });

  test("one line stays one line", () => assert.equal(neutraliseLine(" a\nb\t\x1b[1mc "), "a b c"));
});

describe("createNeutraliser", () => {
  test("removes sequences wherever the pieces are cut", () => {
    const text = "one\x1b[31mtwo\x1b]0;title\x07three\r\nfour\x1b]52;c;x\x1b\\five";
    for (let cut = 0; cut <= text.length; cut++) {
      const neutraliser = createNeutraliser();
      const shown = neutraliser.push(text.slice(0, cut)) + neutraliser.push(text.slice(cut)) + neutraliser.end();
      assert.equal(shown, "onetwothree\nfourfive", `cut at ${cut}`);
    }
  });
  test("gives back at the end what turned out to be no sequence", () => {
    const neutraliser = createNeutraliser();
    assert.equal(neutraliser.push("a\x1b]half"), "a");
    assert.equal(neutraliser.end(), "half");
  });
});
