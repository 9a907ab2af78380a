/** What is long is cut, and whatever comes, something can be shown. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { shortenRecord, shortenText, shortenValue } from "./shorten.ts";

test("a text keeps its beginning and its end, and no character is broken", () => {
  assert.equal(shortenText("short"), "short");
  const exact = "x".repeat(20_000);
  assert.equal(shortenText(exact), exact);
  const cut = shortenText(`${"😀".repeat(30)}x`, 21);
  assert.equal(cut, "😀😀😀😀😀\n… (42 characters left out) …\n😀😀😀😀x".replace("42", String(61 - 10 - 9)));
  assert.doesNotMatch(cut, /[\ud800-\udbff](?![\udc00-\udfff])/u);
});

test("a value that is too large, too deep, or no JSON says so instead of failing", () => {
  const tooMuch = { "…": "too much to show" };
  assert.deepEqual(shortenValue(Array.from({ length: 100_000 }, (_, n) => n)), tooMuch);
  assert.deepEqual(shortenValue({ big: 10n }), tooMuch);
  let deep: unknown = "bottom";
  for (let n = 0; n < 100_000; n++) deep = [deep];
  assert.match(JSON.stringify(shortenValue(deep)), /^\[+"…"\]+$/);
  assert.deepEqual(shortenRecord({ a: [1, null, true, { b: "c" }] }), { a: [1, null, true, { b: "c" }] });
});
