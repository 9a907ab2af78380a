import assert from "node:assert/strict";
import { test } from "node:test";
import { createPump } from "./pump.ts";

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Work that is numbered and ends when the test says so. */
function createWork(count: number) {
  const waiting = Array.from({ length: count }, (_, n) => n);
  const started = new Map<number, () => void>();
  const take = async () => {
    const n = waiting.shift();
    if (n === undefined) return undefined;
    return () => new Promise<void>((resolve) => started.set(n, resolve));
  };
  return { waiting, started, take };
}

test("takes as much as there is room for, and more when something ends", async () => {
  const { started, take } = createWork(3);
  const pump = createPump({ take, maxActive: () => 2, onFailure: assert.fail });
  pump.wake();
  await settle();
  assert.equal(pump.active, 2);
  started.get(0)?.();
  await settle();
  assert.deepEqual([...started.keys()], [0, 1, 2]);
});

test("a wake that comes while it looks is not lost", async () => {
  const { waiting, started, take } = createWork(0);
  let looks = 0;
  const pump = createPump({
    async take() {
      if (++looks === 1) {
        // Too late for this look, and woken in the middle of it.
        setImmediate(() => {
          waiting.push(7);
          pump.wake();
        });
      }
      return take();
    },
    maxActive: () => 5,
    afterLook: settle as () => Promise<void>,
    onFailure: assert.fail,
  });
  pump.wake();
  await settle();
  await settle();
  await settle();
  assert.deepEqual([...started.keys()], [7]);
});

test("draining waits for what a look has just taken, and takes no more", async () => {
  const { waiting, started, take } = createWork(5);
  const pump = createPump({ take, maxActive: () => 5, onFailure: assert.fail });
  pump.wake();
  const drained = pump.drain();
  await settle();
  assert.equal(started.size, 1);
  let isOver = false;
  void drained.then(() => {
    isOver = true;
  });
  await settle();
  assert.equal(isOver, false);
  for (const end of started.values()) end();
  await drained;
  assert.equal(waiting.length, 4);
});

test("a look that fails is reported, and the next wake looks again", async () => {
  const failures: unknown[] = [];
  const { started, take } = createWork(1);
  let isBroken = true;
  const pump = createPump({
    take: () => (isBroken ? Promise.reject(new Error("no store")) : take()),
    maxActive: () => 1,
    onFailure: (error) => failures.push(error),
  });
  pump.wake();
  await settle();
  assert.equal(failures.length, 1);
  isBroken = false;
  pump.wake();
  await settle();
  assert.equal(started.size, 1);
});
