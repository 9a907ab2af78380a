import assert from "node:assert/strict";
import { test } from "node:test";
import { boundaryAtOrBefore, graphemesOf, nextBoundary, previousBoundary } from "./graphemes.ts";

const family = "👩‍👩‍👧‍👦";

test("positions inside a cluster are moved to its start", () => {
  const text = `a${family}e\u0301b`;
  for (let index = 1; index < 1 + family.length; index++) assert.equal(boundaryAtOrBefore(text, index), 1);
  assert.equal(boundaryAtOrBefore(text, 1 + family.length + 1), 1 + family.length);
  assert.equal(boundaryAtOrBefore(text, 99), text.length);
});

test("next and previous walk over whole clusters, in both directions alike", () => {
  const text = `x${family}🇩🇪🇫🇷e\u0301`;
  const forward: number[] = [];
  for (let index = 0; index < text.length; index = nextBoundary(text, index)) forward.push(index);
  const backward: number[] = [];
  for (let index = text.length; index > 0; index = previousBoundary(text, index))
    backward.unshift(previousBoundary(text, index));
  assert.equal(forward.length, [...graphemesOf(text)].length);
  assert.deepEqual(backward, forward);
});

test("a cluster without end is cut, but never through a pair", () => {
  const zalgo = `a${"\u0301".repeat(5_000)}`;
  const cut = boundaryAtOrBefore(zalgo, 3_000);
  assert.ok(cut > 0 && cut <= 3_000);
  const faces = "👩\u200d".repeat(2_000);
  for (const index of [3_001, 3_002, 3_003]) {
    const unit = faces.charCodeAt(boundaryAtOrBefore(faces, index));
    assert.ok(!(unit >= 0xdc00 && unit <= 0xdfff));
  }
});
