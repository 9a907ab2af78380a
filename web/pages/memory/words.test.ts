/** Scores, the index and lines in words and numbers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { MemoryStatusSummary } from "../../../src/gateway/protocol/index.ts";
import { describeIndex, describeScore, linesAround, linesBeside, toPercent } from "./words.ts";

test("scores, progress and states of the index", () => {
  assert.deepEqual(
    [-1, 0.304, 0.6, 7].map((score) => describeScore(score)),
    [
      { percent: "0 %", tone: "neutral" },
      { percent: "30 %", tone: "accent" },
      { percent: "60 %", tone: "good" },
      { percent: "100 %", tone: "good" },
    ],
  );
  assert.deepEqual(
    [toPercent({ done: 0, total: 0 }), toPercent({ done: 999, total: 1000 }), toPercent({ done: 3, total: 2 })],
    [0, 99, 100],
  );
  const index = (state: MemoryStatusSummary["state"], chunks: number) =>
    describeIndex({ state, chunks } as MemoryStatusSummary).text;
  assert.deepEqual([index("idle", 0), index("idle", 1), index("indexing", 0)], ["Empty", "Up to date", "Indexing"]);
});

test("the lines around a find stay within the file and within reason", () => {
  const hit = { path: "a", score: 1, snippet: "", citation: "" };
  assert.deepEqual(linesAround({ ...hit, fromLine: 3, toLine: 4 }), { from: 1, to: 14 });
  assert.deepEqual(linesAround({ ...hit, fromLine: 100, toLine: 900 }), { from: 90, to: 289 });
  const text = { fromLine: 20, toLine: 40, totalLines: 60 };
  assert.deepEqual(linesBeside(text, "before"), { from: 1, to: 19 });
  assert.deepEqual(linesBeside(text, "after"), { from: 41, to: 60 });
  assert.equal(linesBeside({ ...text, fromLine: 1 }, "before"), undefined);
  assert.equal(linesBeside({ ...text, toLine: 60 }, "after"), undefined);
});
