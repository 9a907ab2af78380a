/** Foreign text cannot play with the terminal or forge a line. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { toPrintable } from "./printable.ts";

test("control characters, escapes and separators become visible", () => {
  assert.equal(toPrintable("a\nb\rc\td"), "a\\nb\\rc\\td");
  assert.equal(toPrintable("\u001b[31mred\u009b2J\u007f"), "\\u001b[31mred\\u009b2J\\u007f");
  assert.equal(toPrintable("\u202egnp.exe\u2028x\u200by"), "\\u202egnp.exe\\u2028x\\u200by");
  assert.equal(toPrintable("\ud83d"), "\\ud83d");
});

test("what people write stays as it is", () => {
  const text = "Grüße, 你好, emoji 👍🏽, path C:\\temp, quotes \"'";
  assert.equal(toPrintable(text), text);
});

test("an escaped JSON text is the same JSON value", () => {
  const value = { text: "a\u0085b\u202ec\n\u001b" };
  assert.deepEqual(JSON.parse(toPrintable(JSON.stringify(value))), value);
});
