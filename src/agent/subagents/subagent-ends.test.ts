/** How subagents end on the real store: stopped, cut off, left waiting for a chat, put away. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { group, mainKey, owner } from "../../../test/fakes/subagent-house.ts";
import { announces, begin, holdAll, isChild, spawn } from "../../../test/fakes/subagent-stage.ts";
import type { SessionKey, TurnId } from "../../contracts/ids.ts";

test("a stop ends what waits and what runs of that session alone, and wakes nobody", async (t) => {
  const { world, open } = await begin(t, { maxParallel: 2 });
  const house = await open();
  const free = holdAll(world);
  const theirs = await house.speak(group.channel, "U2", "do");
  await spawn(house, theirs.scope, "theirs");
  await house.finish(theirs.turn);
  await house.settle();
  const { scope, turn } = await house.speak(owner.channel, "U1", "do");
  const running = await spawn(house, scope, "runs");
  const waiting = await spawn(house, scope, "waits");
  await house.finish(turn);
  await house.settle();
  assert.equal(await house.room.stopAllOf(mainKey, "t9" as TurnId), 2);
  assert.equal(await house.room.stopAllOf(mainKey, "t9" as TurnId), 2, "the same again for the same turn");
  assert.equal(await house.room.stopAllOf(mainKey, "t10" as TurnId), 0);
  assert.deepEqual(world.stopped, [running.sessionKey]);
  for (const { runId } of [running, waiting]) assert.equal((await house.room.get(runId))?.state, "stopped");
  assert.equal(await house.room.stop(running.runId), false);
  free.add("theirs");
  await house.settle();
  assert.equal(announces(world).length, 1, "only the group's");
  // The session reads it with what is said there next.
  const next = await house.speak(owner.channel, "U1", "and?");
  const heard = await house.store.inbox.unseen(mainKey, owner.channel, next.turn.seq, 20);
  const told = heard.filter(({ text }) => /^\[SUBAGENT \w+: stopped\]/.test(text));
  assert.equal(told.length, 2);
});

test("a child whose turn was dropped before it began ends as stopped by itself", async (t) => {
  const { world, open } = await begin(t);
  const house = await open();
  const { scope, turn } = await house.speak(owner.channel, "U1", "do");
  const run = await spawn(house, scope, "a");
  await house.finish(turn);
  await house.scheduler.start();
  // Somebody ends that session, not the run.
  await house.store.turns.requestStop(run.sessionKey);
  await world.clock.advance(301_000);
  await house.settle();
  assert.equal((await house.room.get(run.runId))?.state, "stopped");
  assert.match(announces(world)[0] ?? "", /: stopped\] It was stopped\./);
});

test("nothing starts while the asker's chat is away, and findings wait for it", async (t) => {
  const { world, open } = await begin(t);
  const house = await open();
  const free = holdAll(world);
  const { scope, turn } = await house.speak(owner.channel, "U1", "do");
  const run = await spawn(house, scope, "a");
  await house.finish(turn);
  world.up.clear();
  await house.settle();
  assert.equal((await house.room.get(run.runId))?.state, "waiting");
  world.up.add("chat");
  await world.clock.advance(60_000);
  await house.settle();
  assert.equal((await house.room.get(run.runId))?.state, "running");
  world.up.clear();
  free.add("a");
  await house.settle();
  assert.equal((await house.room.get(run.runId))?.state, "done");
  assert.deepEqual(announces(world), []);
  world.up.add("chat");
  await world.clock.advance(60_000);
  await house.settle();
  assert.deepEqual(announces(world).length, 1);
  assert.match(announces(world)[0] ?? "", /: done\] findings of a/);
  assert.equal((await house.room.get(run.runId))?.state, "done");
});

test("what waits for a chat that never comes back takes no place, keeps what it found, and is given up", async (t) => {
  const { world, open } = await begin(t, { maxParallel: 1 });
  const house = await open();
  const free = holdAll(world);
  const { scope, turn } = await house.speak(owner.channel, "U1", "do");
  const first = await spawn(house, scope, "a", { cleanup: "delete" });
  await house.finish(turn);
  await house.settle();
  world.up.clear();
  free.add("a");
  await house.settle();
  const theirs = { ...scope, channel: { adapter: "other", channelId: "D9" } };
  world.up.add("other");
  const second = await spawn(house, theirs, "b");
  const third = await spawn(house, scope, "c");
  await house.settle();
  assert.equal((await house.room.get(second.runId))?.state, "running");
  assert.ok(await house.store.sessions.get(first.sessionKey), "its findings are not told yet");
  free.add("b");
  await house.settle();
  assert.equal((await house.room.get(third.runId))?.state, "waiting");
  await house.scheduler.stop();
  await world.clock.advance(8 * 24 * 3600_000);
  await house.settle();
  assert.equal(await house.store.sessions.get(first.sessionKey), undefined);
  assert.equal((await house.room.get(third.runId))?.state, "interrupted");
  const [row] = await house.store.due.ledger({ source: "subagent", id: first.runId, limit: 1 });
  assert.deepEqual([row?.state, row?.reason], ["missed", "its chat cannot be reached"]);
});

test("whoever lost their rights meanwhile gets nothing done, and whoever gained some gets no more", async (t) => {
  const { world, open } = await begin(t);
  const house = await open();
  const mine = await house.speak(owner.channel, "U1", "do");
  await spawn(house, mine.scope, "a");
  await house.finish(mine.turn);
  const theirs = await house.speak({ adapter: "chat", channelId: "D2" }, "U3", "do");
  assert.equal(theirs.scope.session.type, "dm");
  await spawn(house, theirs.scope, "b");
  await house.finish(theirs.turn);
  world.owners.add("U3");
  world.owners.delete("U1");
  await house.settle();
  assert.deepEqual(
    (await house.room.list()).map(({ state }) => state),
    ["failed", "failed"],
  );
  assert.ok(world.ended.every(({ turn }) => turn.message.errand === undefined));
});

test("a restart in the middle changes nothing: what ran goes on, what waited starts", async (t) => {
  const { world, open } = await begin(t, { maxParallel: 1 });
  const first = await open();
  const free = holdAll(world);
  const { scope, turn } = await first.speak(owner.channel, "U1", "do");
  const a = await spawn(first, scope, "a");
  await world.clock.advance(1);
  await spawn(first, scope, "b");
  await first.finish(turn);
  await first.settle();
  assert.equal((await first.room.get(a.runId))?.state, "running");
  const second = await open();
  free.add("a");
  free.add("b");
  await second.settle();
  assert.deepEqual(
    announces(world).map((text) => /findings of \w/.exec(text)?.[0]),
    ["findings of a", "findings of b"],
  );
});

test("a stop that was asked for, and no more, is made good by the next process", async (t) => {
  const { world, open } = await begin(t);
  const first = await open();
  holdAll(world);
  const { scope, turn } = await first.speak(owner.channel, "U1", "do");
  const run = await spawn(first, scope, "a");
  await first.finish(turn);
  await first.settle();
  await first.store.due.change("subagent", run.runId, ({ data, dueAt = 0 }) => ({
    dueAt,
    data: { ...(data as object), stop: {} },
  }));
  const second = await open();
  await second.settle();
  assert.deepEqual(world.stopped, [run.sessionKey]);
  assert.equal((await second.room.get(run.runId))?.state, "stopped");
  assert.deepEqual(announces(world), []);
});

test("one whose turn is lost is told of as interrupted", async (t) => {
  const { world, open } = await begin(t);
  const house = await open();
  holdAll(world);
  const { scope, turn } = await house.speak(owner.channel, "U1", "do");
  const run = await spawn(house, scope, "a");
  await house.finish(turn);
  await house.settle();
  await house.store.due.change("subagent", run.runId, ({ data, dueAt = 0 }) => ({
    dueAt,
    data: { ...(data as object), chat: { adapter: "errands", channelId: "none" } },
  }));
  await world.clock.advance(301_000);
  await house.settle();
  assert.match(announces(world)[0] ?? "", /: interrupted\] It was cut off/);
});

test("a session that is not to be kept goes when its findings are told; old ones go in time", async (t) => {
  const { world, open } = await begin(t);
  const house = await open();
  const { scope, turn } = await house.speak(owner.channel, "U1", "do");
  const gone = await spawn(house, scope, "gone", { cleanup: "delete" });
  const kept = await spawn(house, scope, "kept");
  await house.finish(turn);
  await house.settle();
  assert.equal(await house.store.sessions.get(gone.sessionKey), undefined);
  assert.ok(await house.store.sessions.get(kept.sessionKey));
  assert.equal(await house.room.log(gone.runId, 9), undefined);
  const log = (await house.room.log(kept.runId, 9)) ?? [];
  assert.deepEqual(
    log.map(({ who, text }) => [who, text]),
    [
      ["user", "kept"],
      ["assistant", "fine"],
    ],
  );
  assert.equal(announces(world).length, 2);
  // A month with nobody looking at the clock.
  await house.scheduler.stop();
  await world.clock.advance(31 * 24 * 3600_000);
  await house.room.start();
  assert.deepEqual(await house.room.list(), []);
  assert.equal(await house.store.sessions.get(kept.sessionKey), undefined);
});

test("no more than two hundred that are over are kept", async (t) => {
  const { open } = await begin(t);
  const house = await open();
  const { scope, turn } = await house.speak(owner.channel, "U1", "do");
  const { runId } = await spawn(house, scope, "a");
  await house.finish(turn);
  await house.settle();
  const data = (await house.store.due.get("subagent", runId))?.data as { run: object };
  for (let n = 0; n < 230; n++) {
    const id = n.toString(16).padStart(12, "0");
    const run = { ...data.run, runId: id, sessionKey: `agent:main:subagent:${id}`, createdAt: n };
    await house.store.due.put({ source: "subagent", id, data: { ...data, run } });
  }
  await house.room.start();
  const left = await house.store.due.list("subagent");
  assert.equal(left.length, 200);
  assert.ok(
    left.some(({ id }) => id === runId),
    "the newest stays",
  );
  assert.ok(!left.some(({ id }) => id === "000000000000"));
});

test("findings for a job's run go to its session, for the one it works for, and what it says of them to their chat", async (t) => {
  const { world, open } = await begin(t);
  const house = await open();
  const { scope, turn } = await house.speak(owner.channel, "U1", "hello");
  await house.finish(turn);
  const principal = { channel: owner.channel, sender: { id: "U1", username: "ann" }, sessionKey: mainKey };
  const whole = { ...principal, sessionType: "main" as const, agentId: "main" };
  const cronKey = "agent:main:cron:j1" as SessionKey;
  const route = { sessionKey: cronKey, type: "cron" as const, agentId: "main" };
  const session = await house.store.sessions.open({
    ...route,
    channel: { adapter: "errands", channelId: "cron/main/j1" },
  });
  await spawn(house, { ...scope, session, principal: whole }, "look", { label: "l" });
  world.answer = ({ message: { text } }) => ({ outcome: "done", reply: isChild(text) ? "found" : "They found it." });
  await house.settle();
  const announce = world.ended.at(-1)?.turn;
  assert.deepEqual([announce?.route.sessionKey, announce?.message.errand?.type], [cronKey, "relay"]);
  assert.match(announce?.message.text ?? "", /^\[SUBAGENT l: done\] found/);
  const posts = await house.store.outbox.list({ limit: 9 });
  assert.deepEqual(
    posts.map(({ channel, body }) => [channel, body]),
    [[owner.channel, { type: "text", text: "They found it." }]],
  );
});

test("agents that send subagents on each other's findings come to an end until a person speaks", async (t) => {
  const { world, open } = await begin(t, { relayTurns: 3 });
  const house = await open();
  const { scope, turn } = await house.speak(owner.channel, "U1", "do");
  await spawn(house, scope, "0");
  await house.finish(turn);
  let sent = 0;
  let refused: unknown;
  for (let n = 1; n < 10 && refused === undefined; n++) {
    // The announce is claimed by hand: its turn sends the next.
    world.answer = ({ message: { text } }) => (isChild(text) ? { outcome: "done", reply: "x" } : "hold");
    await house.settle();
    const [announce] = await house.store.turns.list({ states: ["running"], limit: 9 });
    assert.ok(announce);
    const at = await house.scopeOf(announce);
    await spawn(house, at, String(n)).then(
      () => sent++,
      (error: unknown) => {
        refused = error;
      },
    );
    world.answer = ({ id }) => (id === announce.id ? { outcome: "done", reply: "x" } : "hold");
    await house.settle();
  }
  assert.equal(sent, 2);
  assert.equal((refused as { code?: string }).code, "RELAY_LIMIT");
});
