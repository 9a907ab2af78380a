/** A growing text gives the same blocks as the whole, and leaves finished ones alone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { growBlocks, startGrowing } from "./grow-blocks.ts";
import { splitBlocks } from "./to-html.ts";

const text = `# Plan

A paragraph with **bold** and
a second line.

- one
- two

  still two
- three

1. first

\`\`\`ts
const a = 1;

const b = 2;
\`\`\`

| a | b |
|---|---|
| 1 | 2 |

> quote
> goes on

Setext
======

Last paragraph with the same word: one.

one
`;

test("piece by piece or at once: the same blocks", () => {
  let growing = startGrowing;
  for (let end = 1; end <= text.length; end++) growing = growBlocks(growing, text.slice(0, end), "answer");
  const raws = [...growing.blocks, ...growing.rest].map(({ raw }) => raw.trim());
  assert.deepEqual(
    raws,
    splitBlocks(text, "answer").map(({ raw }) => raw.trim()),
  );
});

test("finished blocks stay the same objects", () => {
  const first = growBlocks(startGrowing, "one\n\ntwo\n\nthr", "answer");
  const second = growBlocks(first, "one\n\ntwo\n\nthree", "answer");
  assert.equal(second.blocks[0], first.blocks[0]);
  assert.equal(second.blocks.length, 2);
});

test("another text begins anew", () => {
  const first = growBlocks(startGrowing, "one\n\ntwo", "answer");
  const raws = growBlocks(first, "other", "answer");
  assert.deepEqual(
    [...raws.blocks, ...raws.rest].map(({ raw }) => raw),
    ["other"],
  );
});

test("a megabyte in a thousand pieces is read in little time", () => {
  const paragraph = `${"word ".repeat(199)}\n\n`;
  let growing = startGrowing;
  let whole = "";
  const started = performance.now();
  for (let n = 0; n < 1_000; n++) {
    whole += paragraph;
    growing = growBlocks(growing, whole, "answer");
  }
  assert.ok(performance.now() - started < 3_000);
  assert.equal(growing.blocks.length + growing.rest.length, 1_000);
});
