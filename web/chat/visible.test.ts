/** Nothing of a command is hidden from whoever allows it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { toVisible } from "../../src/base/visible-text.ts";
import { toPieces } from "./visible.ts";

test("what is hidden, turned round or passes for another is shown by its number", () => {
  const pieces = toPieces("rm \u202e-rf p\u0430th\u200b");
  assert.deepEqual(
    pieces.filter(({ isNumber }) => isNumber).map(({ text }) => text),
    ["⟨U+202E⟩", "⟨U+0430⟩", "⟨U+200B⟩"],
  );
});

test("the page shows the same as other chats do", () => {
  const source = "echo 'naïve 日本 一 a\u0308\u0000\r\n\t⟨U+0041⟩ 🎉";
  assert.equal(
    toPieces(source)
      .map(({ text }) => text)
      .join(""),
    toVisible(source).text,
  );
});
