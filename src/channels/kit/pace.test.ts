import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import { createPace, type PaceLimits } from "./pace.ts";

const perChat = (burst: number, perSecond: number): PaceLimits => ({ chat: { burst, perSecond } });

function createStage(limits: PaceLimits) {
  const clock = createFakeClock();
  const startMs = clock.monotonic();
  const pace = createPace({ clock }, limits);
  /** When each call was let go, in milliseconds since the start. */
  const gone: [string, number][] = [];
  const take = (chatId: string, maxWaitMs?: number) =>
    pace.take(chatId, maxWaitMs).then((answer) => {
      if (answer.type === "go") gone.push([chatId, clock.monotonic() - startMs]);
      return answer;
    });
  return { clock, pace, gone, take };
}

test("a burst at once, then as fast as the bucket fills, in the order of asking", async () => {
  const { clock, gone, take } = createStage(perChat(2, 1));
  for (let n = 0; n < 5; n++) void take("a");
  void take("b");
  await clock.advance(10_000);
  assert.deepEqual(gone, [
    ["a", 0],
    ["a", 0],
    ["b", 0],
    ["a", 1_000],
    ["a", 2_000],
    ["a", 3_000],
  ]);
  assert.equal(clock.pending, 0);
});

test("what would take longer than allowed is told at once and uses nothing up", async () => {
  const { clock, gone, take } = createStage(perChat(1, 0.1));
  await take("a");
  assert.deepEqual(await take("a"), { type: "later", ms: 10_000 }, "five seconds at most unless more is allowed");
  assert.deepEqual(await take("a", 9_999), { type: "later", ms: 10_000 });
  void take("a", 10_000);
  await clock.advance(10_000);
  assert.deepEqual(gone, [
    ["a", 0],
    ["a", 10_000],
  ]);
});

test("all chats together have a bucket too", async () => {
  const { clock, gone, take } = createStage({ chat: { burst: 5, perSecond: 5 }, all: { burst: 2, perSecond: 2 } });
  for (const chat of ["a", "b", "c", "d"]) void take(chat);
  await clock.advance(5_000);
  assert.deepEqual(
    gone.map(([, at]) => at),
    [0, 0, 500, 1_000],
  );
});

test("a chat may have limits of its own kind", async () => {
  const slow = { burst: 1, perSecond: 0.5 };
  const { clock, gone, take } = createStage({
    chat: (chatId) => (chatId.startsWith("-") ? slow : { burst: 1, perSecond: 1 }),
  });
  for (const chat of ["-1", "-1", "1", "1"]) void take(chat);
  await clock.advance(5_000);
  assert.deepEqual(gone, [
    ["-1", 0],
    ["1", 0],
    ["1", 1_000],
    ["-1", 2_000],
  ]);
});

test("a pause holds the chat, or all, and also those who wait already", async () => {
  const { clock, pace, gone, take } = createStage(perChat(1, 1));
  await take("a");
  void take("a");
  pace.pause(3_000, "a");
  void take("b");
  await clock.advance(2_999);
  assert.deepEqual(gone, [
    ["a", 0],
    ["b", 0],
  ]);
  await clock.advance(1);
  assert.deepEqual(gone.at(-1), ["a", 3_000]);
  pace.pause(2_000);
  assert.equal(pace.tryTake("c"), false);
  assert.deepEqual(await take("c", 1_000), { type: "later", ms: 2_000 });
  // A shorter wish does not shorten a longer one.
  pace.pause(10);
  void take("c");
  await clock.advance(2_000);
  assert.deepEqual(gone.at(-1), ["c", 5_000]);
});

test("whoever waits is sent away when a pause makes it too long, and the room is given back", async () => {
  const { clock, pace, take } = createStage(perChat(1, 0.001));
  pace.pause(1_000, "a");
  const waiting = take("a", 1_500);
  await clock.advance(500);
  pace.pause(60_000, "a");
  await clock.advance(500);
  assert.deepEqual(await waiting, { type: "later", ms: 59_500 });
  await clock.advance(59_500);
  assert.deepEqual(await take("a", 0), { type: "go" });
});

test("what is for show leaves room for replies, and goes at all where there is room for one only", async () => {
  const { clock, pace, take } = createStage(perChat(4, 1));
  assert.deepEqual(
    [1, 2, 3, 4].map(() => pace.tryTake("a")),
    [true, true, true, false],
  );
  assert.deepEqual(await take("a", 0), { type: "go" }, "a reply needs not wait");
  await clock.advance(2_000);
  assert.equal(pace.tryTake("a"), true);
  const single = createStage(perChat(1, 1));
  assert.equal(single.pace.tryTake("a"), true);
  assert.equal(single.pace.tryTake("a"), false);
  await single.clock.advance(1_000);
  assert.equal(single.pace.tryTake("a"), true);
});

test("while replies wait nothing is shown", async () => {
  const { clock, pace, take } = createStage(perChat(2, 1));
  for (let n = 0; n < 4; n++) void take("a");
  await clock.advance(1_500);
  assert.equal(pace.tryTake("a"), false);
});

test("stop sends everybody away and leaves no timer", async () => {
  const { clock, pace, take } = createStage(perChat(1, 1));
  await take("a");
  const waiting = take("a");
  await clock.advance(200);
  pace.stop();
  assert.deepEqual(await waiting, { type: "later", ms: 800 });
  assert.equal(clock.pending, 0);
  assert.equal((await take("b")).type, "later");
  assert.equal(pace.tryTake("b"), false);
});

test("chats that have rested are forgotten, others are not", async () => {
  let made = 0;
  const clock = createFakeClock();
  const pace = createPace({ clock }, { chat: () => ({ burst: ++made && 1, perSecond: 1 }) });
  pace.pause(3_600_000, "paused");
  for (let n = 0; n < 5_000; n++) {
    await pace.take(`c${n}`);
    if (n % 500 === 0) await clock.advance(1_000);
  }
  const before = made;
  assert.equal((await pace.take("paused")).type, "later");
  assert.equal((await pace.take("c4999", 0)).type, "later", "it was used just now");
  assert.equal(made, before, "both were still known");
  await pace.take("c0");
  assert.equal(made, before + 1, "this one was forgotten and made anew");
});
