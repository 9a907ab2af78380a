import assert from "node:assert/strict";
import { test } from "node:test";
import { formatCountdown } from "./format-countdown.ts";

test("a countdown has two parts at most", () => {
  assert.equal(formatCountdown(-5), "0 s");
  assert.equal(formatCountdown(59_001), "1 min 00 s");
  assert.equal(formatCountdown(42_000), "42 s");
  assert.equal(formatCountdown(245_000), "4 min 05 s");
  assert.equal(formatCountdown(2 * 3_600_000 + 60_000), "2 h 01 min");
  assert.equal(formatCountdown(50 * 3_600_000), "2 d 2 h");
});
