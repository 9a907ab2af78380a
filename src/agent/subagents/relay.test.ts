/** Words between sessions: whose they may be sent to, with whose rights, how the answer comes back, and that it ends. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  createWorld,
  group,
  groupKey,
  mainKey,
  openHouse,
  owner,
  type SubagentHouse,
  type World,
} from "../../../test/fakes/subagent-house.ts";
import { createTempFolder } from "../../../test/fakes/temp-folder.ts";
import type { SessionKey } from "../../contracts/ids.ts";
import type { ToolScope } from "../../contracts/tool.ts";

async function begin(t: TestContext, config: World["config"] = {}) {
  const { dir } = await createTempFolder(t);
  const world = createWorld();
  world.config = config;
  const house = await openHouse(world, dir);
  t.after(() => house.close());
  // Both sessions are there.
  await house.finish((await house.speak(group.channel, "U2", "hi all")).turn);
  await house.finish((await house.speak(owner.channel, "U1", "hi")).turn);
  return { world, house };
}

/** The owner speaks, and their agent sends a word. */
async function sendFrom(house: SubagentHouse, to: string, message = "how is it?", callId = "c1") {
  const { scope, turn } = await house.speak(owner.channel, "U1", "ask them");
  const sent = await house.room.door.send(scope, { to, message, callId });
  const again = await house.room.door.send(scope, { to, message, callId });
  assert.deepEqual(again, sent);
  await house.finish(turn);
  return sent;
}

const errandsOf = ({ ended }: World) => ended.filter(({ turn }) => turn.message.errand);
const posts = async ({ store }: SubagentHouse) =>
  (await store.outbox.list({ limit: 50 })).map(({ channel, body }) => [
    channel.channelId,
    body.type === "text" ? body.text : "",
  ]);

test("a word goes to the other session with the sender's rights, once, and its answer comes back to be told", async (t) => {
  const { world, house } = await begin(t);
  world.answer = ({ route }) => ({
    outcome: "done",
    reply: route.type === "group" ? "All is well." : "They are well.",
  });
  await sendFrom(house, groupKey);
  await house.settle();
  const [word, answer, ...more] = errandsOf(world).map((each) => each.turn);
  assert.equal(more.length, 0);
  assert.equal(word?.route.sessionKey, groupKey);
  assert.deepEqual(
    [word?.message.errand?.principal.sessionType, word?.message.errand?.principal.sender.id],
    ["main", "U1"],
  );
  assert.match(word?.message.text ?? "", /^\[FROM SESSION agent:main:main\] how is it\?\n\n\(Your answer goes back/);
  assert.equal(word?.message.metadata, undefined);
  assert.equal(answer?.route.sessionKey, mainKey);
  assert.match(answer?.message.text ?? "", /^\[SESSION agent:main:group:chat:G1 answers\] All is well\./);
  assert.deepEqual(answer?.message.metadata, { outside: "people" }, "a group's words are from outside");
  assert.deepEqual(await posts(house), [["D1", "They are well."]], "nobody in the group hears of it");
  const seen = await house.store.sessions.get(groupKey);
  assert.deepEqual(seen?.lastChannel, group.channel);
});

test("two agents that answer each other for ever come to an end", async (t) => {
  const { world, house } = await begin(t, { relayTurns: 5 });
  const refused: string[] = [];
  world.answer = () => ({ outcome: "done", reply: "and you?" });
  // Whoever gets a word sends one on, as often as it is let.
  world.act = async ({ route, message }, scope, { room }) => {
    const errand = message.errand;
    if (!errand || scope.session.type !== "main") return;
    await room.door
      .send(scope, { to: groupKey, message: `go on after ${route.sessionKey}`, callId: "x" })
      .catch((error: { code: string }) => refused.push(error.code));
  };
  await sendFrom(house, groupKey);
  await house.settle();
  const lefts = errandsOf(world).map(({ turn }) => turn.message.errand?.relay?.turnsLeft);
  assert.deepEqual(lefts, [4, 3, 2, 1, 0, 0]);
  assert.deepEqual(refused, ["RELAY_LIMIT"]);
  await sendFrom(house, groupKey, "a person has spoken", "c2");
  assert.equal(errandsOf(world).length, 6);
});

test("words that wait are each heard on their own: none is taken into another's turn", async (t) => {
  const { world, house } = await begin(t);
  const { scope, turn } = await house.speak(owner.channel, "U1", "ask twice");
  for (const callId of ["1", "2"]) await house.room.door.send(scope, { to: groupKey, message: "well?", callId });
  const word = await house.store.turns.claim(60_000, ["errands"]);
  assert.ok(word);
  assert.deepEqual(await house.store.turns.absorb(word, () => assert.fail("one was taken")), []);
  await house.store.turns.release(word);
  await house.finish(turn);
  await house.settle();
  assert.equal(errandsOf(world).filter((each) => each.turn.route.sessionKey === mainKey).length, 2);
});

test("what fails or is stopped there is told, and silence is not", async (t) => {
  const { world, house } = await begin(t);
  const say = async (outcome: "done" | "failed" | "stopped", reply: string, callId: string) => {
    const before = world.ended.length;
    world.answer = ({ route }) =>
      route.type === "group" ? { outcome, reply } : { outcome: "done", reply: "[SILENT]" };
    await sendFrom(house, groupKey, "well?", callId);
    await house.settle();
    return world.ended.slice(before).map(({ turn }) => turn.message.text.split("\n")[0]);
  };
  assert.match((await say("failed", "No model answers.", "1"))[1] ?? "", /G1 failed\] No model answers\.$/);
  assert.match((await say("stopped", "", "2"))[1] ?? "", /G1 was stopped\]$/);
  assert.equal((await say("done", " [SILENT] ", "3")).length, 1);
  assert.equal((await say("done", "", "4")).length, 1);
  assert.deepEqual(await posts(house), []);
});

test("an answer waits for a platform that is away", async (t) => {
  const { world, house } = await begin(t);
  world.answer = ({ route }) => ({ outcome: "done", reply: route.type === "group" ? "yes" : "They said yes." });
  await sendFrom(house, groupKey);
  world.up.clear();
  await house.settle();
  assert.deepEqual(await posts(house), [["D1", "They said yes."]]);
});

test("nobody but the owner's own work sees or reaches other sessions", async (t) => {
  const { world, house } = await begin(t);
  const { door } = house.room;
  const theirs = await house.speak(group.channel, "U2", "look around");
  const child = await house.room.spawn(theirs.scope, { task: "t", callId: "1", label: "ours" });
  await house.finish(theirs.turn);
  await house.settle();
  const mine = await house.speak(owner.channel, "U1", "look around");
  const keysOf = async (scope: ToolScope) => (await door.list(scope, 50)).map(({ sessionKey }) => sessionKey).sort();
  assert.deepEqual(await keysOf(theirs.scope), [groupKey, child.sessionKey].sort());
  assert.deepEqual(await keysOf(mine.scope), [groupKey, mainKey, child.sessionKey].sort());
  assert.deepEqual((await door.list(mine.scope, 1)).length, 1);

  const send = (scope: ToolScope, to: string) => door.send(scope, { to, message: "hi", callId: to });
  const history = (scope: ToolScope, name: string) => door.history(scope, name, 10);
  for (const act of [send, history]) {
    await assert.rejects(act(theirs.scope, mainKey), { code: "SESSION_NOT_VISIBLE" });
    await assert.rejects(act(theirs.scope, "agent:main:none"), { code: "SESSION_NOT_VISIBLE" });
    await assert.rejects(act(theirs.scope, ""), { code: "SESSION_NOT_VISIBLE" });
    await act(theirs.scope, "ours");
    await act(theirs.scope, child.runId);
    await act(mine.scope, groupKey);
  }
  await assert.rejects(send(mine.scope, mainKey), { code: "RELAY_TO_SELF" });
  await assert.rejects(door.send(mine.scope, { to: groupKey, message: " ", callId: "e" }), {
    code: "RELAY_TEXT_INVALID",
  });

  // Work for the owner in somebody else's session, and work for others in the owner's, are not the owner's.
  const principal = { channel: owner.channel, sender: { id: "U1", username: "ann" }, agentId: "main" };
  const ofOwner = { ...principal, sessionKey: mainKey, sessionType: "main" as const };
  const ofGroup = { ...principal, sessionKey: groupKey, sessionType: "group" as const };
  await assert.rejects(send({ ...theirs.scope, principal: ofOwner }, mainKey), { code: "SESSION_NOT_VISIBLE" });
  await assert.rejects(send({ ...mine.scope, principal: ofGroup }, groupKey), { code: "SESSION_NOT_VISIBLE" });
  const cron = { ...mine.scope.session, type: "cron" as const, sessionKey: "agent:main:cron:j" as SessionKey };
  await send({ ...mine.scope, session: cron, principal: ofOwner }, groupKey);
  await assert.rejects(send({ ...mine.scope, session: cron, principal: ofGroup }, mainKey), {
    code: "SESSION_NOT_VISIBLE",
  });
  await assert.rejects(send({ ...mine.scope, session: cron }, mainKey), { code: "SESSION_NOT_VISIBLE" });
  assert.deepEqual(door.agents(mine.scope), [{ id: "main" }, { id: "coder", model: "mom/big" }]);
  assert.deepEqual(door.agents(theirs.scope), [{ id: "main" }]);
  assert.ok(world.ended.length > 0);
});

test("a name that two bear is nobody's", async (t) => {
  const { house } = await begin(t);
  const { scope, turn } = await house.speak(owner.channel, "U1", "do");
  for (const callId of ["1", "2"]) await house.room.spawn(scope, { task: "t", callId, label: "twin" });
  await house.finish(turn);
  await house.settle();
  await assert.rejects(house.room.door.history(scope, "twin", 5), { code: "SESSION_AMBIGUOUS" });
});

test("a history is what was said, cut and clean, and says where it came from", async (t) => {
  const { world, house } = await begin(t);
  world.answer = () => ({ outcome: "done", reply: `a\u0007${"b".repeat(5000)}` });
  for (let n = 0; n < 6; n++) await house.post(group.channel, "U2", `word ${n}`);
  await house.settle();
  const { scope } = await house.speak(owner.channel, "U1", "look");
  const { lines, outside, session } = await house.room.door.history(scope, groupKey, 50);
  assert.deepEqual([session.sessionKey, outside], [groupKey, "people"]);
  assert.ok(lines.reduce((sum, { text }) => sum + text.length, 0) <= 12_000);
  assert.match(lines.at(-1)?.text ?? "", /^ab+ \(… cut; 5002 characters\)$/);
  assert.equal((await house.room.door.history(scope, groupKey, 2)).lines.length, 2);
  assert.equal((await house.room.door.history(scope, mainKey, 2)).outside, undefined);
  assert.deepEqual(await house.room.door.status(scope), {
    session: await house.store.sessions.get(mainKey),
    model: "mom/big",
    contextTokens: 200,
    contextWindow: 1000,
  });
});
