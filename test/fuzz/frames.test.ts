/** A short run of malformed frames; `npm run fuzz -- frames 50000` is a long one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createGatewayRig } from "../fakes/gateway-rig.ts";
import { fuzzFrames } from "./frame-fuzz.ts";

const count = 1_500;

test(`${count} malformed frames: right answers, right ends, no leak`, { timeout: 60_000 }, async (t) => {
  const rig = await createGatewayRig(t);
  const report = await fuzzFrames(rig, count, 1);
  assert.deepEqual(report.failures, []);
  assert.ok(report.frames >= count);
  // Of every kind there was one, or the run says nothing.
  for (const code of ["INVALID_REQUEST", "FORBIDDEN", "result"]) assert.ok((report.answers[code] ?? 0) > 0, code);
  for (const code of [1000, 1002, 1006, 1007, 1008, 1009, 4000, 4001, 4400]) {
    assert.ok((report.closes[code] ?? 0) > 0, `closed with ${code}`);
  }
  const grownBy = report.heap.after - report.heap.before;
  assert.ok(grownBy < 8 * 1024 * 1024, `${grownBy} bytes more`);
});
