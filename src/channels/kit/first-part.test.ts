import assert from "node:assert/strict";
import { test } from "node:test";
import { createFirstPart } from "./first-part.ts";
import { splitText } from "./split.ts";

const limit = 40;
const render = (markdown: string) => splitText(markdown, { maxLength: limit, unit: "utf16" });

test("a text that fits is shown whole, nothing is nothing", () => {
  const toText = createFirstPart(render);
  assert.equal(toText("hello **there**"), "hello **there**");
  assert.equal(toText(""), undefined);
});

test("a text that has grown too long is shown by its beginning, within the limit, and stays so", () => {
  let renders = 0;
  const toText = createFirstPart((markdown) => {
    renders++;
    return render(markdown);
  });
  const words = "one two three four five six seven eight nine ten eleven twelve";
  const shown = toText(words);
  assert.match(shown ?? "", /^one two three .* …$/);
  assert.ok((shown ?? "").length <= limit);
  const before = renders;
  assert.equal(toText(`${words} thirteen`), shown);
  assert.equal(toText(words.repeat(100)), shown);
  assert.equal(renders, before, "what cannot change is not rendered again");
  assert.equal(toText("another message"), "another message");
});

test("the same text is rendered once", () => {
  let renders = 0;
  const toText = createFirstPart((markdown) => [`${++renders} ${markdown}`]);
  assert.equal(toText("a"), "1 a");
  assert.equal(toText("a"), "1 a");
});

test("no character is cut in two, however it is written", () => {
  for (let shift = 0; shift < 12; shift++) {
    const text = "a".repeat(shift) + "👩‍👩‍👧".repeat(20);
    const shown = createFirstPart(render)(text) ?? "";
    assert.ok(shown.length <= limit && shown.isWellFormed());
    assert.match(shown, / …$/);
  }
});

test("a renderer that always gives two parts does not keep it busy for ever", () => {
  assert.equal(createFirstPart((markdown) => [markdown.slice(0, 5), "rest"])("hello world"), "hello");
});
