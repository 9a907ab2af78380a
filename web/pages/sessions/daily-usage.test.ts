import assert from "node:assert/strict";
import { test } from "node:test";
import type { UsageTotalSummary } from "../../../src/gateway/protocol/index.ts";
import { listDays, splitByDay } from "./daily-usage.ts";

const total = (key: string, input: number, cost: number): UsageTotalSummary => ({
  key,
  calls: input,
  input,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cost,
});

test("the last days, oldest first, across a month's end", () => {
  assert.deepEqual(listDays(new Date(2026, 2, 2, 0, 30).getTime(), 3), ["2026-02-28", "2026-03-01", "2026-03-02"]);
});

test("a day is what was used since it, less what was used since the next", () => {
  const since = [[total("a", 10, 3), total("b", 99, 9)], [total("a", 4, 1)], []];
  assert.deepEqual(splitByDay("a", ["d1", "d2", "d3"], since), [
    { day: "d1", tokens: 6, cost: 2, calls: 6 },
    { day: "d2", tokens: 4, cost: 1, calls: 4 },
    { day: "d3", tokens: 0, cost: 0, calls: 0 },
  ]);
});

test("what is used between two answers makes no day negative", () => {
  assert.equal(splitByDay("a", ["d1", "d2"], [[total("a", 3, 0)], [total("a", 5, 0)]])[0]?.tokens, 0);
});
