import assert from "node:assert/strict";
import { test } from "node:test";
import { breakLines, truncate, wrapWords } from "./wrap.ts";

test("wraps at words and breaks only what is too long", () => {
  assert.equal(wrapWords("one two three", 8), "one two\nthree");
  assert.equal(wrapWords("abcdefghij kl", 4), "abcd\nefgh\nij\nkl");
  assert.equal(wrapWords("as it is  ", Infinity), "as it is  ");
});

test("counts wide characters as two and keeps clusters whole", () => {
  assert.deepEqual(breakLines(["你好世界"], 5), ["你好", "世界"]);
  assert.deepEqual(breakLines(["👩‍👩‍👧‍👦👩‍👩‍👧‍👦"], 3), ["👩‍👩‍👧‍👦", "👩‍👩‍👧‍👦"]);
  assert.deepEqual(breakLines(["\tx"], 10), ["    x"]);
});

test("carries styles over a break", () => {
  assert.equal(wrapWords("\x1b[1mone two\x1b[22m x", 4), "\x1b[1mone\x1b[0m\n\x1b[1mtwo\x1b[22m\nx");
});

test("truncates with an ellipsis", () => {
  assert.equal(truncate("abcdef", 4), "abc…");
  assert.equal(truncate("abc", 4), "abc");
  assert.equal(truncate("你好世界", 5), "你好…");
});
