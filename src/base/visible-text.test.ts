/** Nothing hides, and no two texts look the same. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { toVisible, toVisibleBlock } from "./visible-text.ts";

const textOf = (source: string) => toVisible(source).text;

test("what people write stays as it is", () => {
  for (const text of [
    "rm -rf 'a b' \"$x\"\n\tcd ~ `id` \\ {}",
    "Größe naïve Łódź ÀÿŽ",
    "日本語 テスト 한국어 ひらがな",
  ])
    assert.deepEqual(toVisible(text), { text, hidden: 0 });
});

test("control, direction, zero-width and look-alike characters are shown by their number", () => {
  assert.equal(textOf("a\u001b[2J\r\u0000\u007f\u009b"), "a⟨U+001B⟩[2J⟨U+000D⟩⟨U+0000⟩⟨U+007F⟩⟨U+009B⟩");
  assert.equal(textOf("\u202e\u2066\u200f\u061c"), "⟨U+202E⟩⟨U+2066⟩⟨U+200F⟩⟨U+061C⟩");
  assert.equal(textOf("a\u200bb\u00adc\ufeffd\u2060"), "a⟨U+200B⟩b⟨U+00AD⟩c⟨U+FEFF⟩d⟨U+2060⟩");
  assert.equal(textOf("\u00a0\u2003\u3000\u2028"), "⟨U+00A0⟩⟨U+2003⟩⟨U+3000⟩⟨U+2028⟩");
  assert.deepEqual(toVisible("c\u0430t"), { text: "c⟨U+0430⟩t", hidden: 1 });
  for (const twin of [..."оρΑıᎪａ𝐚－−‐∕⁄∶＄；ǀ一ノ〳⟨⟩אعก𝟎"]) assert.match(textOf(twin), /^⟨U\+[0-9A-F]{4,6}⟩$/, twin);
  assert.equal(textOf("e\u0301"), "e⟨U+0301⟩", "an accent that is composed is not the letter that has one");
  assert.equal(textOf("\ud800x"), "⟨U+D800⟩x");
  assert.equal(textOf("\u{e0041}\u{1f600}"), "⟨U+E0041⟩⟨U+1F600⟩");
});

test("two texts never look the same", () => {
  const texts = ["⟨U+0430⟩", "\u0430", "⟨U+27E8⟩", "⟨", "\\u0430", "a"];
  assert.equal(new Set(texts.map(textOf)).size, texts.length);
});

test("a block is closed by nothing that stands in it, and is whole", () => {
  assert.equal(toVisibleBlock("a").text, "```\na\n```");
  assert.equal(toVisibleBlock("```\nx\n````").text, "`````\n```\nx\n````\n`````");
  const endless = toVisibleBlock("`".repeat(3000));
  assert.equal(endless.hidden, 3000);
  assert.match(endless.text, /^```\n(?:⟨U\+0060⟩){3000}\n```$/);
  const long = `echo ${"x".repeat(10_000)}`;
  assert.equal(toVisibleBlock(long).text, `\`\`\`\n${long}\n\`\`\``);
});
