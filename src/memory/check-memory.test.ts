import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { createFakeEmbedder } from "../../test/fakes/memory-stage.ts";
import type { Embedder } from "../contracts/memory.ts";
import { checkMemory } from "./check-memory.ts";
import { memoryConfig } from "./config.ts";

async function check(settings: unknown, given: Embedder | { unavailable: string }, offline = false) {
  const clock = createFakeClock();
  const checking = checkMemory({ clock, createEmbedder: async () => given }, memoryConfig.parse(settings), { offline });
  await clock.advance(30_000);
  return checking;
}

test("the doctor says whether vectors can be had, and minds it only where one was asked for", async () => {
  const none = { unavailable: "no package" };
  assert.deepEqual(await check({ enabled: false }, none), { isGood: true, detail: "off" });
  assert.equal((await check({ embedder: { type: "none" } }, none)).isGood, true);
  assert.deepEqual(await check({}, none), { isGood: true, detail: "searched by words alone: no package" });
  assert.equal((await check({ embedder: { type: "local" } }, none)).isGood, false);
  const embedder = createFakeEmbedder();
  assert.deepEqual(await check({}, embedder), { isGood: true, detail: "vectors by fake/words, 64 dimensions" });
  assert.equal(embedder.isClosed, true);
  assert.deepEqual(await check({}, embedder, true), { isGood: true, detail: "vectors by fake/words, not tried" });
  assert.equal(embedder.calls, 1);
});

test("one that fails or does not answer is told of", async () => {
  const failing = createFakeEmbedder();
  failing.hook = () => {
    throw new Error("no such key");
  };
  assert.deepEqual(await check({}, failing), { isGood: false, detail: "fake/words makes no vectors: no such key" });
  const silent = createFakeEmbedder();
  silent.embed = () => new Promise(() => undefined);
  assert.match((await check({}, silent)).detail, /No answer within/);
});
