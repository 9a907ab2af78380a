import assert from "node:assert/strict";
import { test } from "node:test";
import { createKeyedQueue } from "./keyed-queue.ts";

test("one after the other per key, keys side by side, and a failure stops nobody", async () => {
  const queue = createKeyedQueue();
  const order: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = queue.run("a", async () => {
    await gate.promise;
    order.push("a1");
    throw new Error("failed");
  });
  const second = queue.run("a", async () => order.push("a2"));
  await queue.run("b", async () => order.push("b1"));
  gate.resolve();
  await assert.rejects(first, /failed/);
  await second;
  assert.deepEqual(order, ["b1", "a1", "a2"]);
  await queue.idle();
});
