/** Sessions through the gateway. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createGatewayDesk } from "../../../test/fakes/gateway-desk.ts";
import { mainKey } from "../../../test/fakes/gateway-house.ts";

const key = "key-of-a-test";

test("sessions are found by key, label and chat, in whatever case", async (t) => {
  const { call, fake, clock } = await createGatewayDesk(t);
  const [ops, team] = [await fake.openGroup("C-OPS"), await fake.openGroup("C-TEAM")];
  await call("sessions.patch", { sessionKey: team, label: "Weekly  plans\n" });
  await clock.advance(120_000);
  const find = async (search: string, limit?: number) => {
    const { sessions, total } = await call("sessions.list", { search, ...(limit !== undefined && { limit }) });
    return [sessions.map(({ sessionKey }) => sessionKey).sort(), total];
  };
  assert.deepEqual(await find(""), [[ops, team].sort(), 2]);
  assert.deepEqual(await find("c-ops"), [[ops], 1]);
  assert.deepEqual(await find(" weekly PLANS"), [[team], 1]);
  assert.deepEqual(await find("SLACK"), [[ops, team].sort(), 2]);
  assert.deepEqual((await find("slack", 1))[1], 2);
  assert.deepEqual(await find("nothing"), [[], 0]);
});

test("what is said in a session through its own chat is answered there", async (t) => {
  const { call, refuse, fake } = await createGatewayDesk(t);
  const sessionKey = await fake.openGroup("C1");
  await call("sessions.send", { sessionKey, message: "hello", idempotencyKey: key });
  const turn = await fake.turns.next();
  assert.deepEqual(turn.turn.route.channel, { adapter: "slack", channelId: "C1" });
  assert.equal(fake.said[0]?.answerThere, true);
  const nowhere = await refuse("sessions.send", { sessionKey: "no:such", message: "x", idempotencyKey: `${key}-2` });
  assert.equal(nowhere.code, "NOT_FOUND");
});

test("what is chosen for a session can be gone back on, and everybody is told", async (t) => {
  const { call, refuse, fake, events } = await createGatewayDesk(t);
  const sessionKey = await fake.openGroup("C1");
  const changed = await call("sessions.patch", {
    sessionKey,
    label: "Team",
    model: "big",
    thinkingLevel: "high",
    queueMode: "collect",
    isQuiet: true,
  });
  const { label, chosenModel, thinkingLevel, queueMode, isQuiet } = changed;
  assert.deepEqual([label, chosenModel, thinkingLevel, queueMode, isQuiet], ["Team", "big", "high", "collect", true]);
  assert.deepEqual(events, [{ event: "session.changed", payload: { sessionKey } }]);
  const same = await call("sessions.patch", { sessionKey });
  assert.deepEqual(same, changed);
  const back = await call("sessions.patch", {
    sessionKey,
    label: null,
    model: null,
    thinkingLevel: null,
    queueMode: null,
    isQuiet: false,
  });
  assert.deepEqual(
    ["label", "chosenModel", "thinkingLevel", "queueMode", "isQuiet"].filter((name) => name in back),
    [],
  );
  const unknown = await refuse("sessions.patch", { sessionKey, model: "gpt-99" });
  assert.deepEqual([unknown.code, unknown.message], ["INVALID_REQUEST", "There is no model gpt-99."]);
  assert.equal((await refuse("sessions.patch", { sessionKey, label: "\u200b\n" })).code, "INVALID_REQUEST");
  assert.equal((await refuse("sessions.patch", { sessionKey: mainKey, label: "x" })).code, "NOT_FOUND");
});

test("a session begins afresh once per key, and not while a turn runs in it", async (t) => {
  const { call, refuse, fake, clock } = await createGatewayDesk(t);
  const sessionKey = await fake.openGroup("C1");
  const before = await fake.store.sessions.get(sessionKey);
  const params = { sessionKey, idempotencyKey: key };
  await call("chat.send", { sessionKey, message: "x", idempotencyKey: `${key}-2` });
  const busy = await refuse("sessions.reset", params);
  assert.deepEqual([busy.code, busy.retryable], ["UNAVAILABLE", true]);
  assert.equal((await refuse("sessions.delete", params)).code, "UNAVAILABLE");
  await (await fake.turns.next()).end("y");

  const fresh = await call("sessions.reset", params);
  assert.notEqual(fresh.sessionId, before?.sessionId);
  await clock.advance(3_600_000);
  assert.equal((await call("sessions.reset", params)).sessionId, fresh.sessionId, "also when it was forgotten here");

  assert.deepEqual(await call("sessions.delete", params), { ok: true });
  assert.equal(await fake.store.sessions.get(sessionKey), undefined);
  assert.equal((await refuse("sessions.reset", { sessionKey, idempotencyKey: `${key}-3` })).code, "NOT_FOUND");
  assert.equal((await refuse("sessions.delete", { sessionKey, idempotencyKey: `${key}-3` })).code, "NOT_FOUND");
});

test("summing up is the command, said in the session", async (t) => {
  const { call, refuse, fake } = await createGatewayDesk(t);
  const sessionKey = await fake.openGroup("C1");
  await call("sessions.compact", { sessionKey, idempotencyKey: key });
  await call("sessions.compact", { sessionKey, instructions: " keep the names\n", idempotencyKey: `${key}-2` });
  assert.deepEqual(
    fake.said.map(({ text }) => text),
    ["/compact", "/compact keep the names"],
  );
  assert.equal(
    (await refuse("sessions.compact", { sessionKey: "no:such", idempotencyKey: `${key}-3` })).code,
    "NOT_FOUND",
  );
});

test("a transcript is shown as a tree, the newest of it where it is long, with its earlier lives", async (t) => {
  const { call, refuse, fake } = await createGatewayDesk(t);
  const { sessionKey } = await call("chat.send", { message: "hello", idempotencyKey: key });
  const turn = await fake.turns.next();
  const empty = await call("sessions.history", { sessionKey });
  assert.deepEqual([empty.entries, empty.leaf, empty.isCut], [[], null, false]);
  for (const [id, name] of [
    ["00000001", "first"],
    ["00000002", "second"],
  ]) {
    const entry = {
      type: "session_info" as const,
      id: id as never,
      timestamp: "2026-01-01T00:00:00.000Z",
      name: name ?? "",
    };
    await turn.record({ body: { type: "note" }, entries: [entry] });
  }
  const { entries, leaf, isCut, lives } = await call("sessions.history", { sessionKey });
  assert.deepEqual(
    entries.map(({ id, parentId, preview }) => [id, parentId, preview]),
    [
      ["00000001", null, "first"],
      ["00000002", "00000001", "second"],
    ],
  );
  assert.deepEqual([leaf, isCut, lives.map(({ isPresent }) => isPresent)], ["00000002", false, [true]]);
  const cut = await call("sessions.history", { sessionKey, limit: 1 });
  assert.deepEqual([cut.entries.map(({ id }) => id), cut.isCut], [["00000002"], true]);
  assert.equal((await refuse("sessions.history", { sessionKey: "no:such" })).code, "NOT_FOUND");
});

test("what the models have cost is what the ledger says", async (t) => {
  const { call, fake } = await createGatewayDesk(t);
  const cost = { input: 0.1, output: 0.2, cacheRead: 0, cacheWrite: 0, total: 0.3 };
  await fake.store.usage.record({
    sessionKey: mainKey,
    agentId: "main",
    sender: "webchat:owner",
    model: "mom/big",
    usage: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, totalTokens: 15, cost },
  });
  const { totals } = await call("sessions.usage", { by: "model" });
  assert.deepEqual(
    totals.map(({ key: name, calls, input, output }) => [name, calls, input, output]),
    [["mom/big", 1, 10, 5]],
  );
  assert.deepEqual(await call("sessions.usage", { by: "day", since: "2030-01-01" }), { totals: [] });
  const { today, sessions, clients } = await call("status", {});
  assert.deepEqual([today.calls, today.input, sessions, clients], [1, 10, 0, 1]);
});
