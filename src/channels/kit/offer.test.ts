import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import { createRecordingLog, silentLog } from "../../../test/fakes/log.ts";
import type { ChannelMessage } from "../../contracts/message.ts";
import { createOffer } from "./offer.ts";

const startMs = Date.UTC(2026, 0, 1);

function say(id: string, channelId = "C", sentAtMs = startMs): ChannelMessage {
  return {
    id,
    channelId,
    timestamp: new Date(sentAtMs).toISOString(),
    sender: { id: "U1", username: "ann", isBot: false },
    text: id,
    attachments: [],
    isMention: true,
  };
}

function createStage(isTaken: (message: ChannelMessage) => boolean | Promise<boolean>) {
  const clock = createFakeClock(startMs);
  const tried: string[] = [];
  const delayed: string[] = [];
  const log = createRecordingLog();
  const offer = createOffer({
    clock,
    log,
    async handle(message) {
      tried.push(message.id);
      if (!(await isTaken(message))) throw new Error("not now");
    },
    onDelayed: ({ id }) => delayed.push(id),
  });
  return { clock, tried, delayed, log, offer };
}

test("a message is offered until it is taken, with growing pauses up to five seconds", async () => {
  let isOpen = false;
  const { clock, tried, delayed, offer } = createStage(() => isOpen);
  const taken = offer.offer(say("1"));
  await clock.advance(199);
  assert.equal(tried.length, 1);
  await clock.advance(1);
  assert.equal(tried.length, 2);
  await clock.advance(400 + 800 + 1_600 + 3_200 + 5_000);
  assert.equal(tried.length, 7);
  assert.deepEqual(delayed, ["1"], "told once");
  assert.equal(offer.lastTakenAt, undefined);
  isOpen = true;
  await clock.advance(5_000);
  assert.equal(await taken, true);
  assert.equal(tried.length, 8);
  assert.equal(offer.lastTakenAt, clock.now());
  assert.equal(clock.pending, 0);
});

test("in order within a chat, and chats do not wait for each other", async () => {
  let isOpen = false;
  const { clock, tried, offer } = createStage(({ channelId }) => isOpen || channelId === "D");
  const all = [offer.offer(say("1")), offer.offer(say("2")), offer.offer(say("3", "D")), offer.offer(say("4", "D"))];
  await clock.advance(200);
  assert.deepEqual(tried, ["1", "3", "4", "1"]);
  isOpen = true;
  await clock.advance(400);
  assert.deepEqual(tried, ["1", "3", "4", "1", "1", "2"]);
  assert.deepEqual(await Promise.all(all), [true, true, true, true]);
});

test("stop ends the waiting, and nothing is offered afterwards", async () => {
  const { clock, tried, offer } = createStage(() => false);
  const answers = [offer.offer(say("1")), offer.offer(say("2"))];
  await clock.advance(0);
  offer.stop();
  assert.deepEqual(await Promise.all(answers), [false, false]);
  assert.equal(await offer.offer(say("3")), false);
  await clock.advance(60_000);
  assert.deepEqual(tried, ["1"]);
  assert.equal(clock.pending, 0);
});

test("what the platform delivers again while it waits is offered once; afterwards it is a new offer", async () => {
  let isOpen = false;
  const { clock, tried, offer } = createStage(() => isOpen);
  const answers = [offer.offer(say("1")), offer.offer(say("1")), offer.offer(say("1", "D"))];
  await clock.advance(0);
  assert.deepEqual(tried, ["1", "1"], "the same id in another chat is another message");
  isOpen = true;
  await clock.advance(200);
  assert.deepEqual(await Promise.all(answers), [true, true, true]);
  assert.equal(tried.length, 4);
  assert.equal(await offer.offer(say("1")), true);
  assert.equal(tried.length, 5);
});

test("the lag is by the platform's time, and never below zero", async () => {
  const { clock, offer } = createStage(() => true);
  await offer.offer(say("1", "C", startMs - 2_500));
  assert.equal(offer.lagMs, 2_500);
  await offer.offer(say("2", "C", clock.now() + 9_000));
  assert.equal(offer.lagMs, 0);
  await offer.offer({ ...say("3"), timestamp: "soon" });
  assert.equal(offer.lagMs, undefined);
});

test("beyond a bound the platform keeps the message, and the operator is told", async () => {
  const { log, offer } = createStage(() => new Promise(() => undefined));
  for (let n = 0; n < 5_000; n++) void offer.offer(say(`${n}`));
  assert.equal(await offer.offer(say("one more")), false);
  assert.equal(log.lines.filter(({ level }) => level === "error").length, 1);
});

test("without anybody to tell of a delay it works the same", async () => {
  const clock = createFakeClock();
  let tries = 0;
  const handle = async () => {
    if (++tries < 2) throw new Error("not now");
  };
  const taken = createOffer({ clock, log: silentLog, handle }).offer(say("1"));
  await clock.advance(200);
  assert.equal(await taken, true);
});
