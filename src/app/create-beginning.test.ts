/** A start that fails is tried again by itself, and what was begun is begun once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { createRecordingLog } from "../../test/fakes/log.ts";
import { createBeginning } from "./create-beginning.ts";

function open(failures: number) {
  const clock = createFakeClock();
  const log = createRecordingLog();
  const done: string[] = [];
  const beginning = createBeginning({
    clock,
    log,
    async begin() {
      done.push("begin");
      if (failures-- > 0) throw new Error("the disk is busy");
    },
    go: async () => void done.push("go"),
  });
  return { clock, log, done, beginning };
}

test("it is begun once, however often it is started", async () => {
  const { beginning, done } = open(0);
  assert.equal(beginning.hasBegun(), false);
  await Promise.all([beginning.start(), beginning.start()]);
  await beginning.start();
  assert.deepEqual(done, ["begin", "go", "go", "go"]);
  assert.equal(beginning.hasBegun(), true);
});

test("a failed one is begun again after a while, and told of each time", async () => {
  const { beginning, done, clock, log } = open(2);
  await Promise.all([beginning.start(), beginning.start()]);
  assert.deepEqual(done, ["begin"]);
  assert.equal(log.lines.length, 1);
  await clock.advance(60_000);
  assert.deepEqual(done, ["begin", "begin", "begin", "go"]);
  assert.equal(log.lines.length, 2);
  assert.equal(clock.pending, 0);
});

test("whoever starts it sooner need not wait for that", async () => {
  const { beginning, done } = open(1);
  await beginning.start();
  await beginning.start();
  assert.deepEqual(done, ["begin", "begin", "go"]);
});

test("once it is stopped nothing is tried again, and nothing goes", async () => {
  const { beginning, done, clock } = open(1);
  await beginning.start();
  await beginning.stop();
  await clock.advance(60_000);
  await beginning.start();
  assert.deepEqual(done, ["begin"]);
  assert.equal(clock.pending, 0);
});

test("a stop waits for what is being begun, and nothing goes after it", async () => {
  const begun = Promise.withResolvers<void>();
  const seen: string[] = [];
  const beginning = createBeginning({
    clock: createFakeClock(),
    log: createRecordingLog(),
    begin: () => begun.promise,
    go: async () => void seen.push("go"),
  });
  const started = beginning.start();
  const stopped = beginning.stop().then(() => seen.push("stopped"));
  await Promise.resolve();
  assert.deepEqual(seen, []);
  begun.resolve();
  await Promise.all([started, stopped]);
  assert.deepEqual(seen, ["stopped"]);
});
