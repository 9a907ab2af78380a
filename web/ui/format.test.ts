/** Numbers and times for people. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { formatBytes, formatCost, formatDuration, formatTokens, relativeTime } from "./format.ts";

test("durations never show sixty of anything", () => {
  assert.deepEqual([340, 999.6, 12_440, 59_999, 599_900, 7_199_999, 93_600_000].map(formatDuration), [
    "340 ms",
    "999 ms",
    "12.4 s",
    "59.9 s",
    "9 min 59 s",
    "1 h 59 min",
    "1 d 2 h",
  ]);
});

test("counts, money and sizes are short", () => {
  assert.deepEqual([0, 999, 1_000, 12_345, 999_600, 4_100_000].map(formatTokens), [
    "0",
    "999",
    "1k",
    "12.3k",
    "1M",
    "4.1M",
  ]);
  assert.deepEqual([0, 0.00001, 0.0042, 1.2].map(formatCost), ["$0", "<$0.0001", "$0.0042", "$1.20"]);
  assert.deepEqual([0, 999, 1_500, 2_000_000_000].map(formatBytes), ["0 B", "999 B", "1.5 kB", "2 GB"]);
});

test("moments are told from now", () => {
  const now = 1_000_000_000_000;
  const minute = 60_000;
  assert.equal(relativeTime(now - 10_000, now), "just now");
  assert.equal(relativeTime(now - 5 * minute, now), "5 min ago");
  assert.equal(relativeTime(now + 120 * minute, now), "in 2 h");
  assert.equal(relativeTime(now - 24 * 60 * minute, now), "1 day ago");
});
