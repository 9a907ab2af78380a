/** Answering what waits for a person, and letting people in, through the gateway. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { prepareCalls } from "../../../test/fakes/gateway-calls.ts";
import { createGatewayDesk, operatorWith } from "../../../test/fakes/gateway-desk.ts";

test("what waits is shown whole, with what always would allow and without its environment", async (t) => {
  const { call, fake } = await createGatewayDesk(t);
  const long = `echo ${"x".repeat(50_000)}`;
  await fake.requestApproval("ap1");
  const { subject } = await fake.requestApproval("ap2", { turnId: "t2" as never });
  await fake.requestApproval("ap3", { turnId: "t3" as never, subject: { ...subject, text: long } });
  await fake.house.answerApproval("ap1" as never, "deny", "slack:U1");
  const { approvals } = await call("approvals.list", {});
  assert.deepEqual(approvals.map(({ id }) => id).sort(), ["ap2", "ap3"]);
  assert.equal(approvals.find(({ id }) => id === "ap3")?.text, long);
  assert.deepEqual(approvals.find(({ id }) => id === "ap2")?.rules, ["/bin/rm -r <any path below the folder>"]);
  assert.doesNotMatch(JSON.stringify(approvals), /of the environment|hash of/);
  const all = await call("approvals.list", { all: true });
  assert.equal(all.approvals.length, 3);
});

test("the first word counts, and it is on record whose it was", async (t) => {
  const { call, refuse, fake, contextOf, events } = await createGatewayDesk(t);
  await fake.requestApproval("ap1");
  const phone = { ...operatorWith("approvals"), id: "device-7" };
  const first = await call("approvals.resolve", { id: "ap1", verdict: "once" }, contextOf(phone));
  assert.deepEqual([first.outcome, first.approval.state], ["answered", "allowed"]);
  assert.equal((await fake.store.approvals.get("ap1" as never))?.answeredBy, "gateway:device-7");
  const second = await call("approvals.resolve", { id: "ap1", verdict: "deny" });
  assert.deepEqual([second.outcome, second.approval.state], ["late", "allowed"]);
  assert.deepEqual(
    events.map(({ event }) => event),
    ["approval.resolved"],
  );
  assert.equal((await refuse("approvals.resolve", { id: "no-such", verdict: "once" })).code, "NOT_FOUND");
});

test("what has no rule cannot be allowed for good", async (t) => {
  const { refuse, fake } = await createGatewayDesk(t);
  await fake.requestApproval("ap1", { rules: [] });
  assert.equal((await refuse("approvals.resolve", { id: "ap1", verdict: "always" })).code, "INVALID_REQUEST");
  assert.equal((await fake.store.approvals.get("ap1" as never))?.state, "pending");
});

test("people are let in by their code, and their trust is taken away again", async (t) => {
  const desk = await createGatewayDesk(t);
  const { call, refuse, events, fake } = desk;
  const { code } = (await prepareCalls(desk))["pairing.approve"];
  assert.deepEqual(
    (await call("pairing.list", {})).pairings.map((pairing) => [pairing.senderId, pairing.state, pairing.code]),
    [["U9", "pending", code]],
  );
  assert.equal((await refuse("pairing.approve", { code, adapter: "telegram" })).code, "NOT_FOUND");
  events.length = 0;
  const { pairing } = await call("pairing.approve", { code });
  assert.deepEqual([pairing.state, pairing.approvedBy, pairing.code], ["approved", "gateway:token", undefined]);
  assert.equal(await fake.store.pairings.isApproved("slack", "U9"), true);
  assert.equal((await refuse("pairing.approve", { code })).code, "NOT_FOUND");
  await call("pairing.revoke", { adapter: "slack", senderId: "U9" });
  assert.equal(await fake.store.pairings.isApproved("slack", "U9"), false);
  assert.equal((await refuse("pairing.revoke", { adapter: "slack", senderId: "U9" })).code, "NOT_FOUND");
  assert.deepEqual(
    events.map(({ event }) => event),
    ["pairing.changed", "pairing.changed"],
  );
});
