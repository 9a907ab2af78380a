/** Runs of lines are found as the simplest way would find them, overlaps too, and in bounded time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { findRuns } from "./find-runs.ts";

/** All texts of up to `length` lines of two kinds. */
const allOf = (length: number): string[][] =>
  length === 0 ? [[]] : allOf(length - 1).flatMap((lines) => [lines, [...lines, "a"], [...lines, "b"]]);

const countMatching = (lines: string[], wanted: string[], start: number) => {
  const differs = wanted.findIndex((line, i) => line !== lines[start + i]);
  return differs === -1 ? wanted.length : differs;
};

test("finds every run and the best beginning", () => {
  for (const wanted of allOf(4).filter(({ length }) => length > 0)) {
    for (const lines of allOf(7).filter(({ length }) => length === 7)) {
      const from = 1;
      const matching = lines.map((_, start) => (start < from ? -1 : countMatching(lines, wanted, start)));
      const most = Math.max(...matching);
      assert.deepEqual(findRuns(lines, wanted, from), {
        starts: matching.flatMap((count, start) => (count === wanted.length ? [start] : [])),
        best: { start: matching.indexOf(most), matching: most },
      });
    }
  }
});

test("takes its time by the lines, not by their product", () => {
  const lines = Array<string>(200_000).fill("");
  const startMs = performance.now();
  assert.deepEqual(findRuns(lines, [...lines.slice(0, 50_000), "x"], 0).starts, []);
  assert.ok(performance.now() - startMs < 2000);
});
