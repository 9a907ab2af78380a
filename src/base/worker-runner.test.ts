/** Work in a thread: answers, failures in words, time-outs, aborts, a thread that dies, and what waits for its turn. */
import assert from "node:assert/strict";
import { after, it } from "node:test";
import { createSystemClock } from "./clock.ts";
import { createWorkerRunner } from "./worker-runner.ts";

const source = new URL("../../test/fixtures/workers/sums.ts", import.meta.url);
const runner = createWorkerRunner<unknown, unknown>({ source, clock: createSystemClock(), maxHeapMb: 64 });
after(() => runner.close());
const limits = { timeoutMs: 20_000 };

it("answers jobs one after the other", async () => {
  const sums = await Promise.all([1, 2, 3].map((n) => runner.run({ add: [n, 10] }, limits)));
  assert.deepEqual(sums, [11, 12, 13]);
});

it("tells a failure in the thread's own words, and goes on", async () => {
  await assert.rejects(runner.run({ fail: "no such page" }, limits), { code: "WORK_FAILED", message: "no such page" });
  assert.equal(await runner.run({ add: [1, 1] }, limits), 2);
});

it("ends work that never ends, and starts anew", async () => {
  await assert.rejects(runner.run({ spin: true }, { timeoutMs: 300 }), { code: "WORK_TIMED_OUT" });
  assert.equal(await runner.run({ add: [2, 2] }, limits), 4);
});

it("ends work when it is aborted", async () => {
  const stop = new AbortController();
  const spinning = runner.run({ spin: true }, { ...limits, signal: stop.signal });
  stop.abort();
  await assert.rejects(spinning, { code: "ABORTED" });
  assert.equal(await runner.run({ add: [3, 3] }, limits), 6);
});

it("survives a thread that runs out of memory", async () => {
  await assert.rejects(runner.run({ eat: true }, limits), { code: "WORK_FAILED" });
  assert.equal(await runner.run({ add: [4, 4] }, limits), 8);
});

it("lets go of work that is aborted or times out while it waits, and of all that waits when it closes", async () => {
  const stop = new AbortController();
  const waiting = new AbortController();
  const spinning = runner.run({ spin: true }, { ...limits, signal: stop.signal });
  const aborted = runner.run({ add: [1] }, { ...limits, signal: waiting.signal });
  const late = runner.run({ add: [1] }, { timeoutMs: 20 });
  const patient = runner.run({ add: [5, 5] }, limits);
  waiting.abort();
  await assert.rejects(aborted, { code: "ABORTED" });
  await assert.rejects(late, { code: "WORK_TIMED_OUT", message: /did not get its turn/ });
  stop.abort();
  await assert.rejects(spinning, { code: "ABORTED" });
  assert.equal(await patient, 10);
  const cut = runner.run({ spin: true }, limits);
  const left = runner.run({ add: [1] }, limits);
  await Promise.all([
    assert.rejects(cut, { code: "WORK_FAILED" }),
    assert.rejects(left, { code: "ABORTED" }),
    runner.close(),
  ]);
});
