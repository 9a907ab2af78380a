import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildUser } from "../../../test/fakes/random-history.ts";
import { safetyMargin } from "./token-estimate.ts";
import {
  baseChunkRatio,
  computeAdaptiveRatio,
  defaultContextWindow,
  ensureContextWindow,
  minChunkRatio,
} from "./window-share.ts";

const messagesOf = (...tokens: number[]) => tokens.map((count) => buildUser("x".repeat(count * 4)));

test("the constants of the spec", () => {
  assert.deepEqual([baseChunkRatio, minChunkRatio, safetyMargin, defaultContextWindow], [0.4, 0.15, 1.2, 128_000]);
});

describe("computeAdaptiveRatio", () => {
  // Share = average × 1.2 / window; over 0.1 the ratio is 0.4 − min(2 × share, 0.25).
  const rows: [name: string, tokens: number[], contextWindow: number, ratio: number][] = [
    ["no messages", [], 10_000, 0.4],
    ["small messages: share 0.012", [100, 100], 10_000, 0.4],
    ["just under a tenth: share 0.0996", [830], 10_000, 0.4],
    ["exactly a tenth is not over it", [1000], 12_000, 0.4],
    ["share 0.102 lowers by 0.204", [850], 10_000, 0.196],
    ["share 0.12 lowers by 0.24", [1000], 10_000, 0.16],
    ["share 0.1248 lowers by 0.2496", [1040], 10_000, 0.1504],
    ["share 0.126 would lower by 0.252: the minimum", [1050], 10_000, 0.15],
    ["share 1.2: still the minimum", [10_000], 10_000, 0.15],
    ["it is the average that counts: 2,000 and 40 are 1,020, share 0.1224", [2000, 40], 10_000, 0.1552],
    ["an unknown window is 128,000: 12,800 × 1.2 is share 0.12", [12_800], 0, 0.16],
  ];
  for (const [name, tokens, contextWindow, ratio] of rows) {
    test(name, () => {
      const actual = computeAdaptiveRatio(messagesOf(...tokens), contextWindow);
      assert.ok(Math.abs(actual - ratio) < 1e-9, `${actual} is not ${ratio}`);
      assert.ok(actual >= minChunkRatio && actual <= baseChunkRatio);
    });
  }
});

test("a window that is missing, zero or no number is the default", () => {
  assert.deepEqual([undefined, 0, Number.NaN, 8000].map(ensureContextWindow), [128_000, 128_000, 128_000, 8000]);
});
