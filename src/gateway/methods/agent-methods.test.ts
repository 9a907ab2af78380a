/** Turns that are started and waited for through the gateway. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createGatewayDesk, operatorWith } from "../../../test/fakes/gateway-desk.ts";
import { mainKey } from "../../../test/fakes/gateway-house.ts";
import type { TurnId } from "../../contracts/ids.ts";
import type { NewStep } from "../../contracts/turn.ts";

const key = "key-of-a-test";

test("agents are listed and shown, the main one where none is named", async (t) => {
  const { call, refuse } = await createGatewayDesk(t);
  const { agents } = await call("agents.list", {});
  assert.deepEqual(
    agents.map(({ id }) => id),
    ["main", "helper"],
  );
  assert.deepEqual(await call("agents.identity", {}), { id: "main", model: "mom/big", mainSessionKey: mainKey });
  assert.equal((await call("agents.identity", { agentId: "helper" })).mainSessionKey, "agent:helper:main");
  assert.equal((await refuse("agents.identity", { agentId: "nobody" })).code, "NOT_FOUND");
  assert.equal((await refuse("agent", { message: "x", agentId: "nobody", idempotencyKey: key })).code, "NOT_FOUND");
});

test("a turn is run in the owner's own session, or in one of its own by name", async (t) => {
  const { call, fake } = await createGatewayDesk(t);
  const own = await call("agent", { message: "hello", idempotencyKey: key });
  assert.equal(own.sessionKey, mainKey);
  const named = await call("agent", { message: "hello", agentId: "helper", name: "build", idempotencyKey: `${key}-2` });
  assert.match(named.sessionKey, /^agent:helper:dm:/);
  assert.deepEqual(
    fake.said.map(({ to, deviceName }) => [to, deviceName]),
    [
      [{ type: "session", sessionKey: mainKey }, "token"],
      [{ type: "named", agentId: "helper", name: "agent-build" }, "token"],
    ],
  );
});

test("the same key is the same message, also for a gateway that has forgotten it", async (t) => {
  const first = await createGatewayDesk(t);
  const params = { message: "hello", idempotencyKey: key };
  const said = await first.call("agent", params);
  await first.clock.advance(3_600_000);
  const again = await first.call("agent", params);
  assert.deepEqual(again, { ...said, isRepeat: true });
  const elsewhere = await first.call("agent", params, first.contextOf(operatorWith("write")));
  assert.notEqual(elsewhere.messageId, said.messageId);
  assert.notEqual(elsewhere.turnId, said.turnId);
});

test("waiting gives the reply without asides, the files, the model and what it took", async (t) => {
  const { call, fake } = await createGatewayDesk(t);
  const { turnId } = await call("agent", { message: "hello", idempotencyKey: key });
  const waited = call("agent.wait", { turnId });
  const turn = await fake.turns.next();
  turn.event({ type: "agent_start", model: "mom/big", resumed: false });
  turn.stream("thinking ", "about it");
  await turn.aside("one moment");
  turn.stream("Done.");
  const chart = { type: "file" as const, path: "/tmp/chart.png", filename: "chart.png" };
  await turn.end("Done.", { bodies: [{ type: "text", text: "Really." }, chart] });
  const outcome = await waited;
  assert.deepEqual(outcome, {
    turnId,
    sessionKey: mainKey,
    state: "done",
    reply: "Done.\n\nReally.",
    files: [{ filename: "chart.png", deliveryId: `${turnId}.3` }],
    model: "mom/big",
    usage: { input: 20, output: 10, cacheRead: 4, cacheWrite: 2, totalTokens: 36, cost: 0.6 },
  });
  assert.deepEqual(await call("agent.wait", { turnId }), outcome, "who asks later is told the same");
});

test("a turn that is not over in time goes on", async (t) => {
  const { call, refuse, fake, clock } = await createGatewayDesk(t);
  const { turnId } = await call("agent", { message: "hello", idempotencyKey: key });
  const turn = await fake.turns.next();
  for (const [params, waitMs] of [
    [{ turnId }, 60_000],
    [{ turnId, timeoutMs: 50 }, 50],
  ] as const) {
    const refused = refuse("agent.wait", params);
    await clock.advance(waitMs - 1);
    const isEarly = await Promise.race([refused.then(() => true), Promise.resolve(false)]);
    assert.equal(isEarly, false);
    await clock.advance(1);
    assert.deepEqual([(await refused).code, (await refused).retryable], ["AGENT_TIMEOUT", true]);
  }
  assert.equal(clock.pending, 0);
  await turn.end("", { outcome: "failed", error: "the model is gone" });
  const { state, error, reply } = await call("agent.wait", { turnId });
  assert.deepEqual([state, error, reply], ["failed", "the model is gone", ""]);
  assert.equal((await refuse("agent.wait", { turnId: "t-unknown" })).code, "NOT_FOUND");
});

test("who hangs up does not go on waiting", async (t) => {
  const { call, refuse, contextOf, clock } = await createGatewayDesk(t);
  const { turnId } = await call("agent", { message: "hello", idempotencyKey: key });
  const timers = clock.pending;
  const gone = new AbortController();
  const refused = refuse("agent.wait", { turnId }, contextOf(undefined, gone.signal));
  await clock.advance(0);
  gone.abort();
  assert.equal((await refused).code, "UNAVAILABLE");
  assert.equal((await refuse("agent.wait", { turnId }, contextOf(undefined, gone.signal))).code, "UNAVAILABLE");
  assert.equal(clock.pending, timers);
});

test("a message that another turn took in has that turn's outcome", async (t) => {
  const { call, fake, clock } = await createGatewayDesk(t);
  const first = await call("agent", { message: "hello", idempotencyKey: key });
  const second = await call("agent", { message: "and this", idempotencyKey: `${key}-2` });
  const turn = await fake.turns.next();
  const step: NewStep = { body: { type: "input", seenSeq: 2 }, entries: [] };
  await fake.store.turns.absorb(turn.turn, () => step);
  const waited = call("agent.wait", { turnId: second.turnId });
  await clock.advance(0);
  await turn.end("To both.");
  const { turnId, reply } = await waited;
  assert.deepEqual([turnId, reply], [first.turnId, "To both."]);
  assert.equal((await fake.store.turns.get(second.turnId as TurnId))?.mergedInto, first.turnId);
});

test("what the house does not take is told in its words", async (t) => {
  const { refuse, fake } = await createGatewayDesk(t);
  fake.sayInstead = { type: "refused", reason: "I am stopping." };
  const refused = await refuse("agent", { message: "x", idempotencyKey: key });
  assert.deepEqual([refused.code, refused.message], ["INVALID_REQUEST", "I am stopping."]);
  fake.sayInstead = { type: "unknown", what: "agent main" };
  assert.equal((await refuse("agent", { message: "x", idempotencyKey: key })).code, "NOT_FOUND");
});

test("a name stands behind a prefix of its own, and is one that can be shown", async (t) => {
  const { call, refuse, fake } = await createGatewayDesk(t);
  const names = ["user-ann", "a/b:c", "ü".repeat(500), "x".repeat(400)];
  for (const [n, name] of names.entries()) await call("agent", { message: "x", name, idempotencyKey: `${key}-${n}` });
  const got = fake.said.map(({ to }) => (to.type === "named" ? to.name : ""));
  assert.deepEqual(got.slice(0, 2), ["agent-user-ann", "agent-a%2Fb%3Ac"]);
  for (const name of got.slice(2)) assert.match(name, /^agentlong-[0-9a-f]{64}$/);
  assert.equal(new Set(got).size, names.length);
  for (const name of ["a\nb", "\u0000", "\u001b[2J", "\u0085", "\ud800"]) {
    const refused = await refuse("agent", { message: "x", name, idempotencyKey: `${key}-bad` });
    assert.equal(refused.code, "INVALID_REQUEST", JSON.stringify(name));
  }
  assert.equal(fake.said.length, names.length);
});
