import assert from "node:assert/strict";
import { test } from "node:test";
import { isUnfilled, stripComments } from "./clean-markdown.ts";

const comments: [name: string, text: string, expected: string][] = [
  ["none", "a\n\nb\n", "a\n\nb\n"],
  ["a line of its own goes as a whole", "a\n<!-- x -->\nb", "a\nb"],
  ["several lines", "a\n<!-- x\n- y\n\nz -->\nb", "a\nb"],
  ["within a line", "a <!-- x --> b <!-- y -->c", "a  b c"],
  ["text before and behind", "a <!-- x\ny --> b", "a \n b"],
  ["two in a row", "<!-- x --><!-- y -->\nb", "b"],
  ["never closed", "a\n<!-- x\nb", "a\n<!-- x\nb"],
  ["never closed after one that is", "<!-- x -->\na\n<!-- y\nb", "a\n<!-- y\nb"],
  ["a close without an open", "a --> b\n<!-- x -->", "a --> b"],
  ["nested opens end at the first close", "<!-- a <!-- b --> c", " c"],
  ["in a fence", "```html\n<!-- x -->\n```\n<!-- y -->\nb", "```html\n<!-- x -->\n```\nb"],
  ["in a longer fence", "~~~~\n~~~\n<!-- x -->\n~~~~\n<!-- y -->b", "~~~~\n~~~\n<!-- x -->\n~~~~\nb"],
  ["a fence within a comment", "<!--\n```\n-->\na <!-- b -->", "a "],
  ["in a code span", "use `<!-- x -->` here <!-- y -->", "use `<!-- x -->` here "],
  ["behind a code span", "`a` <!-- x --> `b`", "`a`  `b`"],
  ["blank lines of the text stay", "a\n\n\n<!-- x -->\n\nb", "a\n\n\n\nb"],
];

for (const [name, text, expected] of comments) {
  test(`comments: ${name}`, () => assert.equal(stripComments(text), expected));
}

test("comments are taken out in linear time", () => {
  for (const piece of ["<!--", "<!---->", "`<!--", "```\n<!--\n", "<!-- -->\n", "`"]) {
    const text = `${piece.repeat(40_000)}-->`;
    const startedAt = performance.now();
    stripComments(text);
    assert.ok(performance.now() - startedAt < 1000, piece);
  }
});

test("headings, empty list items and blank lines are an unfilled form", () => {
  for (const text of ["", " \n\t\n", "# A", "# A\n\n## B c\n###### D\n", "#\n-\n* \n+\n- [ ]\n- [x]\n- []"]) {
    assert.ok(isUnfilled(text), JSON.stringify(text));
  }
  for (const text of ["a", "# A\nb", "#tag", "####### seven", "- x", "- [ ] x", "---", "`code`"]) {
    assert.ok(!isUnfilled(text), JSON.stringify(text));
  }
});
