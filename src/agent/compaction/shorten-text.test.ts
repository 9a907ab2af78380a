import assert from "node:assert/strict";
import { test } from "node:test";
import { buildRandomText, createRandom } from "../../../test/fakes/random-history.ts";
import { cutMiddle, fitLine, fitText } from "./shorten-text.ts";

test("the middle goes and the gap says how much", () => {
  assert.equal(
    cutMiddle("aaaabbbbbbbbbbcccc", 4, 4, (gone) => `[${gone}]`),
    "aaaa[10]cccc",
  );
  assert.equal(
    cutMiddle("short", 4, 4, (gone) => `[${gone}]`),
    "short",
  );
  assert.equal(
    cutMiddle("aaaabcccc", 4, 4, () => "a marker longer than what is gone"),
    "aaaabcccc",
  );
});

test("a character of two halves is never cut in two", () => {
  assert.equal(
    cutMiddle(`🦊${"x".repeat(50)}🦊`, 1, 1, (gone) => `[${gone}]`),
    "[54]",
  );
  assert.equal(fitLine("🦊🦊🦊", 4), "🦊…");
});

test("a fitted text is never longer than asked, whole when it fits, and well formed", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = createRandom(seed);
    const text = buildRandomText(random, 400);
    const max = random.between(0, 500);
    const fitted = fitText(text, max);
    assert.ok(fitted.length <= max, `seed ${seed}`);
    assert.ok(fitted.isWellFormed(), `seed ${seed}`);
    if (text.length <= max) assert.equal(fitted, text);
  }
});

test("head, tail and the size of the gap are in it", () => {
  const fitted = fitText(`begin${"x".repeat(5000)}end`, 200);
  assert.match(fitted, /^begin/);
  assert.match(fitted, /end$/);
  assert.match(fitted, /\[… 4,8\d\d characters left out …\]/);
});
