/** Rest and use on the real store: what ends a conversation by itself, and what must not. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { silentLog } from "../../test/fakes/log.ts";
import { newEntryId } from "../base/ids.ts";
import type { SessionKey } from "../contracts/ids.ts";
import type { ChannelRef } from "../contracts/message.ts";
import type { SessionRoute } from "../contracts/session.ts";
import type { ClaimedTurn, NewStep } from "../contracts/turn.ts";
import { buildLayout, openStore } from "../store/index.ts";
import { sessionsConfig } from "./config.ts";
import { openSession } from "./open-session.ts";

const chat: ChannelRef = { adapter: "chat", channelId: "C1" };
const sessionKey = "agent:main:main" as SessionKey;
const minuteMs = 60_000;

async function openHouse(t: TestContext, resetAfterIdleMinutes: number) {
  const dir = await mkdtemp(join(tmpdir(), "mom-test-"));
  const clock = createFakeClock();
  const config = sessionsConfig.parse({ resetAfterIdleMinutes });
  const open = () =>
    openStore({ layout: buildLayout(dir), clock, log: silentLog, role: "owner", routesOf: () => [routeFrom(chat)] });
  let store = await open();
  t.after(async () => {
    await store.close();
    await rm(dir, { recursive: true, force: true });
  });
  let count = 0;

  const receive = async (kind: ClaimedTurn["kind"], channel = chat) => {
    const message = {
      id: `m${++count}`,
      channelId: channel.channelId,
      timestamp: new Date(clock.now()).toISOString(),
      sender: { id: "U1", username: "ann", isBot: false },
      text: "hello",
      attachments: [],
      isMention: true,
    };
    const lane = kind === "agent" ? sessionKey : `${sessionKey}#beside`;
    const verdict = { type: "turn" as const, kind, lane, route: routeFrom(channel) };
    await store.inbox.accept({ adapter: channel.adapter, message, verdict });
  };
  /** As the pipeline does it. */
  const start = async () => {
    const turn = await store.turns.claim(60_000, [chat.adapter]);
    assert.ok(turn);
    const steps = await store.turns.steps(turn);
    const session = await openSession({ sessions: store.sessions, clock, config }, turn, steps.length > 0);
    return { turn, session };
  };
  const end = (turn: ClaimedTurn) => store.turns.finish(turn, { outcome: "done", deliveries: [] });
  return {
    clock,
    receive,
    start,
    end,
    record: (turn: ClaimedTurn) => store.turns.record(turn, buildStep()),
    /** One turn from message to end; the life it was in. */
    async run(kind: ClaimedTurn["kind"], channel = chat, lastsMs = 0) {
      await receive(kind, channel);
      const { turn, session } = await start();
      await clock.advance(lastsMs);
      await end(turn);
      return session.sessionId;
    },
    find: () => store.sessions.get(sessionKey),
    async crash() {
      await store.close();
      store = await open();
    },
  };
}

const routeFrom = (channel: ChannelRef): SessionRoute => ({ sessionKey, type: "main", agentId: "main", channel });
const buildStep = (): NewStep => ({
  body: { type: "input", seenSeq: 1 },
  entries: [
    {
      type: "message",
      id: newEntryId(),
      timestamp: "2026-01-01T00:00:00.000Z",
      message: { role: "user", content: "hello", timestamp: 0 },
    },
  ],
});

test("rest begins when a turn ends: after a long one the conversation goes on", async (t) => {
  const house = await openHouse(t, 30);
  const first = await house.run("agent", chat, 90 * minuteMs);
  await house.clock.advance(29 * minuteMs);
  assert.equal(await house.run("agent"), first);
  await house.clock.advance(30 * minuteMs);
  assert.notEqual(await house.run("agent"), first);
});

test("a rest of a minute is a minute, however soon the messages follow each other", async (t) => {
  const house = await openHouse(t, 1);
  const first = await house.run("agent");
  for (let n = 0; n < 4; n++) {
    await house.clock.advance(50_000);
    assert.equal(await house.run("agent"), first, `message ${n}`);
  }
  await house.clock.advance(minuteMs);
  assert.notEqual(await house.run("agent"), first);
});

test("a message that waited behind a long turn belongs to its conversation", async (t) => {
  const house = await openHouse(t, 30);
  await house.receive("agent");
  const { turn, session } = await house.start();
  await house.receive("agent");
  await house.clock.advance(120 * minuteMs);
  await house.end(turn);
  assert.equal((await house.start()).session.sessionId, session.sessionId);
});

test("a command is no use of the conversation", async (t) => {
  const house = await openHouse(t, 30);
  const first = await house.run("agent");
  const usedAt = (await house.find())?.updatedAt;
  await house.clock.advance(29 * minuteMs);
  const elsewhere = { ...chat, channelId: "C2" };
  assert.equal(await house.run("command", elsewhere), first, "it looks at the conversation there is");
  const session = await house.find();
  assert.equal(session?.updatedAt, usedAt);
  assert.deepEqual(session?.lastChannel, chat);
  await house.clock.advance(5 * 60 * minuteMs);
  assert.equal(await house.run("command"), first);
  assert.notEqual(await house.run("agent"), first);
});

test("a command may be the first thing that a session hears", async (t) => {
  const house = await openHouse(t, 30);
  const first = await house.run("command");
  assert.equal((await house.find())?.sessionId, first);
  assert.equal(await house.run("agent"), first);
});

for (const [name, isRecorded] of [
  ["before it recorded anything", false],
  ["in the middle", true],
] as const) {
  test(`a turn that a crash cut off ${name} goes on in its conversation, however late`, async (t) => {
    const house = await openHouse(t, 30);
    const first = await house.run("agent");
    await house.clock.advance(20 * minuteMs);
    await house.receive("agent");
    const { turn } = await house.start();
    if (isRecorded) await house.record(turn);
    await house.crash();
    await house.clock.advance(120 * minuteMs);
    const resumed = await house.start();
    assert.deepEqual([resumed.turn.id, resumed.session.sessionId], [turn.id, first]);
    await house.end(resumed.turn);
    await house.clock.advance(29 * minuteMs);
    assert.equal(await house.run("agent"), first);
  });
}

test("a turn that began a conversation anew and was cut off does not do so twice", async (t) => {
  const house = await openHouse(t, 30);
  const first = await house.run("agent");
  await house.clock.advance(31 * minuteMs);
  await house.receive("agent");
  const { session } = await house.start();
  assert.notEqual(session.sessionId, first);
  await house.crash();
  await house.clock.advance(120 * minuteMs);
  assert.equal((await house.start()).session.sessionId, session.sessionId);
});

test("a clock that is set back does not age a message that waits", async (t) => {
  const house = await openHouse(t, 30);
  const first = await house.run("agent");
  await house.clock.advance(24 * 60 * minuteMs);
  await house.receive("agent");
  await house.clock.advance(-24 * 60 * minuteMs);
  assert.equal((await house.start()).session.sessionId, first);
});
