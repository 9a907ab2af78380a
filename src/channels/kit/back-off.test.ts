import assert from "node:assert/strict";
import { test } from "node:test";
import { pickBackOffMs } from "./back-off.ts";

test("a second, doubling up to a minute", () => {
  const waits = [1, 2, 3, 6, 7, 8, 5_000].map((attempt) => pickBackOffMs(attempt, 0.5));
  assert.deepEqual(waits, [1_000, 2_000, 4_000, 32_000, 60_000, 60_000, 60_000]);
});

test("chance makes it shorter or longer by a third at most", () => {
  assert.equal(pickBackOffMs(1, 0), 700);
  assert.equal(pickBackOffMs(1, 1), 1_300);
  const seen = new Set(Array.from({ length: 20 }, () => pickBackOffMs(7)));
  assert.ok(seen.size > 1);
  for (const ms of seen) assert.ok(ms >= 42_000 && ms <= 78_000);
});
