import assert from "node:assert/strict";
import { test } from "node:test";
import { formatDuration } from "./format-duration.ts";

test("as short as it can be said", () => {
  const cases: [number, string][] = [
    [40, "40 ms"],
    [300, "0.3 s"],
    [9_949, "9.9 s"],
    [9_960, "10 s"],
    [59_600, "1 min 0 s"],
    [125_000, "2 min 5 s"],
  ];
  for (const [ms, text] of cases) assert.equal(formatDuration(ms), text);
});
