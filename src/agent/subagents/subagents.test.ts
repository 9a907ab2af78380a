/** Subagents on the real store: started as there is room, and announced once to whoever asked. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { group, groupKey, mainKey, owner } from "../../../test/fakes/subagent-house.ts";
import { announces, begin, holdAll, isChild, spawn } from "../../../test/fakes/subagent-stage.ts";
import type { ToolScope } from "../../contracts/tool.ts";
import { describeTimeout } from "../time-limit.ts";

test("a task is done in a session of its own, and the findings come to whoever asked, with what they cost", async (t) => {
  const { world, open } = await begin(t);
  const house = await open();
  world.answer = ({ message: { text } }) => ({ outcome: "done", reply: isChild(text) ? "It is 42." : "said" });
  const { scope, turn } = await house.speak(owner.channel, "U1", "find it");
  const run = await spawn(house, scope, "find it out", {
    label: "the [answer]: now",
    thinking: "high",
    model: "mom/big",
  });
  assert.equal(run.state, "waiting");
  assert.equal(run.sessionKey, `agent:main:subagent:${run.runId}`);
  await house.finish(turn);
  await world.clock.advance(90_000);
  await house.settle();
  const [child, announce] = world.ended.map((each) => each.turn);
  assert.equal(child?.route.sessionKey, run.sessionKey);
  assert.equal(child?.route.type, "subagent");
  const session = await house.store.sessions.get(run.sessionKey);
  assert.deepEqual([session?.spawnedBy, session?.label], [mainKey, "the [answer]: now"]);
  const errand = child?.message.errand;
  assert.deepEqual(
    [errand?.type, errand?.model, errand?.thinking, errand?.timeoutMs, errand?.principal.sessionType],
    ["subagent", "mom/big", "high", 3_600_000, "main"],
  );
  assert.match(errand?.role?.[0]?.text ?? "", /one task[\s\S]*talk to no user, set no schedules and send no subagents/);
  assert.equal(announce?.route.sessionKey, mainKey);
  assert.deepEqual(announce?.route.channel, owner.channel);
  assert.equal(announce?.message.sender.id, "U1");
  assert.equal(
    announce?.message.text,
    `[SUBAGENT the answer now: done] It is 42.\n\n(0 s, 120 tokens, $0.02; run ${run.runId})\n\n(Tell the user in your own words, in one or two sentences.)`,
  );
  assert.equal(announce?.message.metadata, undefined);
  const after = await house.room.get(run.runId);
  assert.deepEqual([after?.state, after?.tokens, after?.cost], ["done", 120, 0.02]);
  assert.equal(world.ended.length, 2);
  const ledger = await house.store.due.ledger({ source: "subagent", id: run.runId, limit: 9 });
  assert.deepEqual(
    ledger.map(({ state, reason }) => [state, reason]),
    [
      ["ran", "done"],
      ["ran", "started"],
    ],
  );
});

test("no more work at a time than the limit says, the others in order as one ends", async (t) => {
  const { world, open } = await begin(t, { maxParallel: 2 });
  const house = await open();
  const free = holdAll(world);
  const { scope, turn } = await house.speak(owner.channel, "U1", "do five");
  const tasks = ["t1", "t2", "t3", "t4", "t5"];
  for (const task of tasks) {
    await spawn(house, scope, task);
    await world.clock.advance(10);
  }
  await house.finish(turn);
  const running = async () =>
    (await house.room.list())
      .filter(({ state }) => state === "running")
      .map(({ task }) => task)
      .sort();
  await house.settle();
  assert.deepEqual(await running(), ["t1", "t2"]);
  free.add("t2");
  await house.settle();
  assert.deepEqual(await running(), ["t1", "t3"]);
  for (const task of tasks) free.add(task);
  await house.settle();
  assert.equal(announces(world).length, 5);
  assert.deepEqual(await running(), []);
});

test("the same call spawns once, also beside itself; another call spawns another", async (t) => {
  const { world, open } = await begin(t);
  const house = await open();
  const { scope, turn } = await house.speak(owner.channel, "U1", "do");
  const runs = await Promise.all([1, 2, 3].map(() => house.room.spawn(scope, { task: "a", callId: "c1" })));
  runs.push(await house.room.spawn(scope, { task: "a", callId: "c2" }));
  assert.equal(new Set(runs.map(({ runId }) => runId)).size, 2);
  await house.finish(turn);
  await house.settle();
  await house.room.spawn(scope, { task: "a", callId: "c1" });
  await house.settle();
  assert.equal(announces(world).length, 2);
});

test("what cannot be done is refused with a code", async (t) => {
  const { open } = await begin(t);
  const house = await open();
  const { scope } = await house.speak(owner.channel, "U1", "do");
  const theirs = { ...scope, session: { ...scope.session, type: "group" as const } };
  const child = { ...scope, session: { ...scope.session, type: "subagent" as const } };
  const cases: [scope: ToolScope, task: object, code: string][] = [
    [scope, { task: "  " }, "SUBAGENT_TASK_INVALID"],
    [scope, { task: "x".repeat(20_001) }, "SUBAGENT_TASK_INVALID"],
    [scope, { agentId: "codr" }, "SUBAGENT_AGENT_UNKNOWN"],
    [theirs, { agentId: "coder" }, "SUBAGENT_AGENT_DENIED"],
    [scope, { model: "mom/none" }, "SUBAGENT_MODEL_UNKNOWN"],
    [child, {}, "SUBAGENT_NESTED"],
    [{ ...scope, channel: { adapter: "once", channelId: "D1" } }, {}, "CHAT_ENDS"],
  ];
  for (const [at, task, code] of cases) {
    await assert.rejects(house.room.spawn(at, { task: "a", callId: code, ...task }), { code });
  }
  assert.deepEqual(await house.room.list(), []);
  assert.equal((await house.room.spawn(scope, { task: "a", callId: "1", agentId: "coder" })).agentId, "coder");
});

test("twenty wait for one session, and another session has twenty of its own", async (t) => {
  const { open } = await begin(t);
  const house = await open();
  const { scope, turn } = await house.speak(owner.channel, "U1", "do");
  for (let n = 0; n < 20; n++) await spawn(house, scope, `t${n}`);
  await assert.rejects(spawn(house, scope, "one more"), { code: "SUBAGENT_FULL" });
  await house.finish(turn);
  const theirs = await house.speak(group.channel, "U2", "do");
  await spawn(house, theirs.scope, "theirs");
});

test("what a group asks for is done as the group, and comes back to it marked", async (t) => {
  const { world, open } = await begin(t);
  const house = await open();
  const { scope, turn } = await house.speak(group.channel, "U2", "do");
  await spawn(house, scope, "look");
  await house.finish(turn);
  await house.settle();
  const [child, announce] = world.ended.map((each) => each.turn.message);
  assert.deepEqual(
    [child?.errand?.principal.sessionType, child?.errand?.principal.sender.id, child?.metadata],
    ["group", "U2", { outside: "people" }],
  );
  assert.equal(world.ended[1]?.turn.route.sessionKey, groupKey);
  assert.match(announce?.text ?? "", /^\[SUBAGENT [0-9a-f]{12}: done\] fine/);
});

test("findings made with text from outside say so, and bring it with them", async (t) => {
  const { world, open } = await begin(t);
  const house = await open();
  const { scope, turn } = await house.speak(owner.channel, "U1", "do");
  const run = await spawn(house, scope, "read a page");
  await house.finish(turn);
  world.answer = ({ route }) => {
    // The child has read a page while it worked.
    void house.store.sessions.get(run.sessionKey).then((session) => {
      if (session) world.tainted.set(session.sessionId, "https://example.org");
    });
    return { outcome: "done", reply: route.type === "subagent" ? "obey the page" : "said" };
  };
  await house.settle();
  const announce = world.ended[1]?.turn.message;
  assert.deepEqual(announce?.metadata, { outside: "https://example.org" });
  assert.match(announce?.text ?? "", /\(Made with text from outside: https:\/\/example\.org\./);
});

test("long findings are cut and say where the rest is", async (t) => {
  const { world, open } = await begin(t);
  const house = await open();
  world.answer = ({ message: { text } }) => ({ outcome: "done", reply: isChild(text) ? "y".repeat(15_000) : "said" });
  const { scope, turn } = await house.speak(owner.channel, "U1", "do");
  const kept = await spawn(house, scope, "a");
  const gone = await spawn(house, scope, "b", { cleanup: "delete" });
  await house.finish(turn);
  await house.settle();
  const [first, second] = announces(world);
  const [ofKept, ofGone] = first?.includes(kept.runId) ? [first, second] : [second, first];
  assert.ok((ofKept?.length ?? 0) < 12_600);
  assert.ok(ofKept?.includes(`(… 3000 more characters: sessions_history of ${kept.sessionKey}, or /subagents log`));
  assert.ok(ofGone?.includes(gone.runId) && ofGone.includes("3000 more characters: they were not kept"));
});

test("one that fails, and one that takes too long, are told as such with what they had said", async (t) => {
  const { world, open } = await begin(t);
  const house = await open();
  const { scope, turn } = await house.speak(owner.channel, "U1", "do");
  await spawn(house, scope, "fails", { label: "f" });
  await spawn(house, scope, "late", { label: "l", runTimeoutSeconds: 60 });
  await house.finish(turn);
  world.answer = ({ message: { text, errand } }) => {
    if (text === "fails") return { outcome: "failed", reply: "No model answers.", error: "lab: 500" };
    if (text === "late")
      return { outcome: "failed", reply: "say go on", error: describeTimeout(errand?.timeoutMs ?? 0) };
    return { outcome: "done", reply: "said" };
  };
  await house.settle();
  const texts = announces(world).sort();
  assert.match(texts[0] ?? "", /^\[SUBAGENT f: failed\] No model answers\./);
  assert.match(texts[1] ?? "", /^\[SUBAGENT l: timed out\] It did not finish within 60 s\./);
  assert.doesNotMatch(texts[1] ?? "", /go on/);
  const states = (await house.room.list()).map(({ state }) => state);
  assert.deepEqual(states.sort(), ["failed", "timed-out"]);
});
