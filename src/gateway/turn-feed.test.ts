/** Turns as they are followed: from their beginning, to their end, and no more of them kept than is allowed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { createGatewayHouse, mainKey } from "../../test/fakes/gateway-house.ts";
import { someUsage } from "../../test/fakes/house-turns.ts";
import type { AgentSessionEvent } from "../contracts/agent.ts";
import type { TurnId } from "../contracts/ids.ts";
import type { Delivery } from "../contracts/store.ts";
import type { Turn } from "../contracts/turn.ts";
import type { TurnSign } from "./parts.ts";
import { createTurnFeed } from "./turn-feed.ts";

const limits = { turnBytes: 4096, allBytes: 16 * 1024, ended: 3, endedMs: 1000 };
const running = { state: "running" } as Turn;
const never = new AbortController().signal;

function createStage(known: Record<string, Turn> = {}) {
  const clock = createFakeClock();
  const turns = {
    get: async (id: TurnId) => known[id] ?? (id.startsWith("t") ? running : undefined),
  };
  const posts = [{ id: "p1", body: { type: "text", text: "kept" } }] as unknown as Delivery[];
  const recorder = createTurnFeed({ clock, store: { turns, outbox: { list: async () => posts } } }, limits);
  const say = (id: string, delta: string) => recorder.turnEvent({ id: id as TurnId }, { type: "text_delta", delta });
  const end = (id: string) => recorder.ended({ id: id as TurnId, state: "done" });
  return { clock, known, say, end, ...recorder };
}

const describe = (sign: TurnSign) =>
  sign.type === "event" ? ("delta" in sign.event ? sign.event.delta : sign.event.type) : sign.type;

async function read(signs: AsyncIterable<TurnSign>): Promise<string[]> {
  const read: string[] = [];
  for await (const sign of signs) read.push(describe(sign));
  return read;
}

test("whoever comes sees the whole turn, before, while and after it runs", async () => {
  const { feed, say, end, clock } = createStage();
  const id = "t1" as TurnId;
  const early = read(feed.follow(id, never));
  await clock.advance(0);
  say("t1", "a");
  const late = read(feed.follow(id, never));
  await clock.advance(0);
  say("t1", "b");
  end("t1");
  say("t1", "after the end");
  const after = read(feed.follow(id, never));
  for (const all of [early, late, after]) assert.deepEqual(await all, ["a", "b", "end"]);
});

test("posts are told as they leave, files and asides as such", async () => {
  const { feed, sent, end } = createStage();
  const turnId = "t1" as TurnId;
  const post = (id: string, body: object) => sent({ id, turnId, body } as Delivery);
  post("d1", { type: "text", text: "wait", isAside: true });
  post("d2", { type: "edit", messageId: "m", text: "no post" });
  post("d3", { type: "text", text: "done" });
  post("d4", { type: "file", path: "/x", filename: "x.png", caption: "look" });
  sent({ id: "d5", body: { type: "text", text: "of no turn" } } as Delivery);
  end("t1");
  const signs: TurnSign[] = [];
  for await (const sign of feed.follow(turnId, never)) signs.push(sign);
  assert.deepEqual(signs, [
    { type: "post", deliveryId: "d1", text: "wait", isAside: true },
    { type: "post", deliveryId: "d3", text: "done" },
    { type: "post", deliveryId: "d4", file: { filename: "x.png" }, text: "look" },
    { type: "end", state: "done" },
  ]);
});

test("following ends with its signal, and what nobody knew of is forgotten", async () => {
  const { feed, clock } = createStage();
  const stopper = new AbortController();
  const signs = read(feed.follow("t1" as TurnId, stopper.signal));
  await clock.advance(0);
  stopper.abort();
  assert.deepEqual(await signs, []);
  assert.equal(feed.usageOf("t1" as TurnId), undefined);
  assert.deepEqual(await read(feed.follow("unknown" as TurnId, never)), []);
});

test("of a turn that ended before there are its posts and its end", async () => {
  const old = { state: "failed", error: "gone wrong" } as Turn;
  const { feed } = createStage({ told: old });
  const signs: TurnSign[] = [];
  for await (const sign of feed.follow("told" as TurnId, never)) signs.push(sign);
  assert.deepEqual(signs, [
    { type: "post", deliveryId: "p1", text: "kept" },
    { type: "end", state: "failed", error: "gone wrong" },
  ]);
});

test("a turn that was stopped while it waited ends for those who follow it, when the one before it does", async () => {
  const { feed, known, clock, say, end } = createStage();
  const signs = read(feed.follow("t2" as TurnId, never));
  say("t1", "a");
  await clock.advance(0);
  known["t2"] = { state: "stopped" } as Turn;
  assert.equal(end("t1"), true);
  assert.deepEqual(await signs, ["post", "end"]);
  assert.equal(end("t1"), false, "it was told before");
});

test("the model and the use of all calls are known, however long the turn was", async () => {
  const { feed, turnEvent, say } = createStage();
  const turn = { id: "t1" as TurnId };
  const events: AgentSessionEvent[] = [
    { type: "agent_start", model: "mom/big", resumed: false },
    { type: "message_end", text: "", hasToolCalls: true, usage: someUsage },
    { type: "model_fallback", from: "mom/big", to: "mom/small", reason: "busy" },
    { type: "message_end", text: "", hasToolCalls: false, usage: someUsage },
  ];
  for (const event of events) turnEvent(turn, event);
  say("t1", "x".repeat(limits.turnBytes));
  assert.deepEqual(feed.usageOf(turn.id), {
    model: "mom/small",
    usage: { input: 20, output: 10, cacheRead: 4, cacheWrite: 2, totalTokens: 36, cost: 0.6 },
  });
  assert.equal(feed.usageOf("t2" as TurnId), undefined);
});

test("of a long turn the end is kept, and who reads too slowly is told", async () => {
  const { feed, say, end, clock } = createStage();
  const id = "t1" as TurnId;
  const reader = feed.follow(id, never)[Symbol.asyncIterator]();
  const first = reader.next();
  await clock.advance(0);
  say("t1", "the first");
  assert.equal((await first).done, false);
  for (let n = 0; n < 100; n++) say("t1", `${n}`.padEnd(100));
  await assert.rejects(() => reader.next(), { code: "UNAVAILABLE", retryable: true });
  end("t1");
  const kept = await read(feed.follow(id, never));
  assert.deepEqual(kept.slice(-2), ["99".padEnd(100), "end"]);
  assert.ok(kept.length > 5 && kept.length < 25, String(kept.length));
});

test("ended turns are kept for a while, and only so many", async () => {
  const { say, end, clock, feed } = createStage();
  const kept = () => ["t1", "t2", "t3", "t4"].filter((id) => feed.usageOf(id as TurnId) !== undefined);
  for (const id of ["t1", "t2", "t3", "t4"]) {
    say(id, id);
    end(id);
  }
  assert.deepEqual(kept(), ["t2", "t3", "t4"]);
  await clock.advance(999);
  assert.deepEqual(kept(), ["t2", "t3", "t4"]);
  await clock.advance(1);
  assert.deepEqual(kept(), []);
  assert.equal(clock.pending, 0, "no timer waits");
});

test("all turns together take only so much: those that ended first are forgotten, those that run are not", async () => {
  const { say, end, feed } = createStage();
  say("t0", "x".repeat(2000));
  for (const id of ["t1", "t2", "t3"]) {
    say(id, "x".repeat(3700));
    end(id);
  }
  say("t4", "x".repeat(3700));
  const kept = ["t0", "t1", "t2", "t3", "t4"].filter((id) => feed.usageOf(id as TurnId) !== undefined);
  assert.deepEqual(kept, ["t0", "t2", "t3", "t4"]);
});

test("a turn of the house is followed from said to delivered", async (t) => {
  const fake = await createGatewayHouse(t);
  const recorder = createTurnFeed({ clock: fake.clock, store: fake.store });
  const ignore = () => undefined;
  fake.watch = { said: ignore, sessionChanged: ignore, ...recorder } as unknown as NonNullable<typeof fake.watch>;
  const said = await fake.house.say({
    messageId: "m1",
    deviceName: "d",
    isAdmin: false,
    text: "hello",
    attachments: [],
    to: { type: "session", sessionKey: mainKey },
  });
  assert.equal(said.type, "accepted");
  const { turnId } = said as Extract<typeof said, { type: "accepted" }>;
  const signs = read(recorder.feed.follow(turnId, never));
  const turn = await fake.turns.next();
  turn.stream("he", "llo");
  await turn.end("hello");
  assert.deepEqual(await signs, ["message_start", "he", "llo", "message_end", "post", "end"]);
});
