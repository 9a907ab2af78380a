import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeMemory } from "../../../test/fakes/channel-deps.ts";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import { createRecordingLog, silentLog } from "../../../test/fakes/log.ts";
import type { DeliveryId, TurnId } from "../../contracts/ids.ts";
import { createLivePosts } from "./live-posts.ts";

const turn = (n: number | string) => `t${n}` as TurnId;
const delivery = (n: number) => `d${n}` as DeliveryId;
const post = (n: number) => ({ channelId: "C", messageId: `m${n}` });

test("what was put is there after a restart, as soon as the promise resolves", async () => {
  const clock = createFakeClock();
  const memory = createFakeMemory();
  const posts = createLivePosts({ clock, log: silentLog, memory });
  await posts.load();
  await posts.put(turn(1), post(1));
  await posts.put(turn(2), { ...post(2), deliveryId: delivery(2) });
  await posts.put(turn(3), post(3));
  await posts.delete(turn(3));
  const later = createLivePosts({ clock, log: silentLog, memory });
  await later.load();
  assert.deepEqual(later.get(turn(1)), { ...post(1), at: clock.now() });
  assert.equal(later.get(turn(2))?.deliveryId, "d2");
  assert.equal(later.get(turn(3)), undefined);
  assert.equal(later.hasDelivery(delivery(2)), true);
  assert.equal(later.hasDelivery(delivery(1)), false);
});

test("one write at a time, and one that waits serves all changes", async () => {
  const memory = createFakeMemory();
  const writes: PromiseWithResolvers<void>[] = [];
  const slow = {
    ...memory,
    async set(key: string, value: unknown) {
      const written = JSON.stringify(value);
      const gate = Promise.withResolvers<void>();
      writes.push(gate);
      await gate.promise;
      await memory.set(key, JSON.parse(written));
    },
  };
  const clock = createFakeClock();
  const posts = createLivePosts({ clock, log: silentLog, memory: slow });
  const puts = [posts.put(turn(1), post(1))];
  await clock.advance(0);
  for (const n of [2, 3, 4]) puts.push(posts.put(turn(n), post(n)));
  let isSecondDone = false;
  void puts[1]?.then(() => {
    isSecondDone = true;
  });
  await clock.advance(0);
  assert.equal(writes.length, 1);
  writes[0]?.resolve();
  await clock.advance(0);
  assert.equal(writes.length, 2);
  assert.equal(isSecondDone, false, "the write that was under way did not have it");
  writes[1]?.resolve();
  await Promise.all(puts);
  assert.equal(writes.length, 2);
  assert.equal((JSON.parse(memory.values.get("live-posts") ?? "") as unknown[]).length, 4);
});

test("one that was taken over is kept for an hour, one that was not as long as it is not settled", async () => {
  const clock = createFakeClock();
  const memory = createFakeMemory();
  const posts = createLivePosts({ clock, log: silentLog, memory });
  await posts.put(turn(1), { ...post(1), deliveryId: delivery(1) });
  await posts.put(turn(2), post(2));
  await clock.advance(3_600_000);
  await posts.put(turn(3), post(3));
  assert.equal(posts.hasDelivery(delivery(1)), true);
  await clock.advance(1);
  const later = createLivePosts({ clock, log: silentLog, memory });
  await later.load();
  assert.equal(later.hasDelivery(delivery(1)), false);
  assert.equal(later.get(turn(2))?.messageId, "m2");
});

test("at most five hundred, the newest", async () => {
  const memory = createFakeMemory();
  const posts = createLivePosts({ clock: createFakeClock(), log: silentLog, memory });
  for (let n = 0; n < 600; n++) await posts.put(turn(n), post(n));
  assert.equal(posts.entries().length, 500);
  assert.equal(posts.get(turn(99)), undefined);
  assert.equal(posts.get(turn(599))?.messageId, "m599");
});

test("a memory that fails costs a line in the log, and nonsense in it nothing", async () => {
  const clock = createFakeClock();
  const log = createRecordingLog();
  const broken = { get: () => Promise.reject(new Error("x")), set: () => Promise.reject(new Error("y")) };
  const posts = createLivePosts({ clock, log, memory: { ...createFakeMemory(), ...broken } });
  await posts.load();
  await posts.put(turn(1), post(1));
  assert.equal(posts.get(turn(1))?.messageId, "m1", "still known in this life");
  assert.equal(log.lines.length, 2);
  for (const value of [
    null,
    7,
    "x",
    {},
    [null, [1, {}], ["t", null], ["t", { channelId: "C", messageId: 1, at: 1 }]],
  ]) {
    const memory = createFakeMemory();
    await memory.set("live-posts", value);
    const empty = createLivePosts({ clock, log: silentLog, memory });
    await empty.load();
    assert.deepEqual(empty.entries(), []);
  }
});
