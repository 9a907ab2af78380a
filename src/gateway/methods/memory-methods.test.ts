/** What is remembered, and subagents, through the gateway. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createGatewayDesk, operatorWith } from "../../../test/fakes/gateway-desk.ts";
import { mainKey } from "../../../test/fakes/gateway-house.ts";

const key = "key-of-a-test";

test("memory is searched as the owner, and its lines can be opened", async (t) => {
  const { call, refuse, fake } = await createGatewayDesk(t);
  fake.automation.notes.set("MEMORY.md", "# Home\nThe red bicycle is in the cellar.\nPaint: blue.");
  const { hits, mode } = await call("memory.search", { query: "red bicycle" });
  assert.deepEqual([mode, hits.map(({ citation, score }) => [citation, score])], ["fused", [["MEMORY.md#L2-L2", 1]]]);
  assert.deepEqual(await call("memory.get", { path: "MEMORY.md", from: 2, to: 3 }), {
    path: "MEMORY.md",
    fromLine: 2,
    toLine: 3,
    totalLines: 3,
    text: "The red bicycle is in the cellar.\nPaint: blue.",
  });
  assert.equal((await refuse("memory.get", { path: "MEMORY.md", from: 3, to: 2 })).code, "INVALID_REQUEST");
  assert.equal((await refuse("memory.get", { path: "../etc/passwd" })).code, "INVALID_REQUEST");
  assert.deepEqual((await call("memory.search", { query: "red", agentId: "helper" })).hits, []);
  assert.equal((await refuse("memory.search", { query: "red", agentId: "nobody" })).code, "NOT_FOUND");
  const empty = await refuse("memory.search", { query: "  " });
  assert.deepEqual([empty.code, (empty.details as { reason: string }).reason], ["INVALID_REQUEST", "MEMORY_QUERY"]);
});

test("an index that is soon up to date is answered as done; a long one goes on, once", async (t) => {
  const { call, fake, clock, events } = await createGatewayDesk(t);
  const quick = await call("memory.index", { idempotencyKey: key });
  assert.deepEqual([quick.isDone, quick.status.state], [true, "idle"]);
  const { promise, resolve } = Promise.withResolvers<void>();
  fake.automation.indexing = promise;
  const slow = [call("memory.index", { force: true, idempotencyKey: `${key}-2` })];
  slow.push(call("memory.index", { idempotencyKey: `${key}-3` }));
  await t.waitFor(() => assert.equal(fake.automation.indexed.length, 2));
  await clock.advance(1000);
  for (const { isDone, status } of await Promise.all(slow)) {
    assert.deepEqual([isDone, status.state, status.progress], [false, "indexing", { done: 1, total: 4 }]);
  }
  resolve();
  await t.waitFor(async () => assert.equal((await call("memory.status", {})).state, "idle"));
  assert.deepEqual(fake.automation.indexed, [
    { agentId: "main", force: false },
    { agentId: "main", force: true },
  ]);
  assert.equal(events.filter(({ event }) => event === "memory").length, 4);
});

test("an index that fails is told to whoever asked, and may be tried again", async (t) => {
  const { refuse, call, fake } = await createGatewayDesk(t);
  fake.automation.indexing = Promise.reject(new Error("disk full"));
  assert.equal((await refuse("memory.index", { idempotencyKey: key })).code, "UNAVAILABLE");
  fake.automation.indexing = undefined;
  assert.equal((await call("memory.index", { idempotencyKey: key })).isDone, true);
});

test("a subagent is asked for once per key, for a session that is there, with the caller's rights", async (t) => {
  const { call, refuse, contextOf, fake } = await createGatewayDesk(t);
  const writer = contextOf(operatorWith("write"));
  const group = await fake.openGroup("C1");
  const run = await call("sessions.spawn", { task: "look", label: "a look", idempotencyKey: key });
  assert.deepEqual([run.requester, run.state, run.task, run.label], [mainKey, "running", "look", "a look"]);
  const again = await call("sessions.spawn", { task: "look", label: "a look", idempotencyKey: key });
  assert.equal(again.runId, run.runId);
  const other = await call("sessions.spawn", { sessionKey: group, task: "look", idempotencyKey: key }, writer);
  assert.notEqual(other.runId, run.runId);
  const { askedBy } = fake.automation;
  assert.deepEqual([askedBy.get(run.runId)?.isAdmin, askedBy.get(other.runId)?.isAdmin], [true, false]);
  const lost = await refuse("sessions.spawn", { sessionKey: "no:such", task: "x", idempotencyKey: `${key}-2` });
  assert.equal(lost.code, "NOT_FOUND");
  const listed = await call("subagents.list", {});
  assert.deepEqual(
    listed.runs.map(({ runId }) => runId),
    [other.runId, run.runId],
  );
  assert.equal((await call("subagents.list", { requester: group })).runs.length, 1);
});

test("a subagent is ended once", async (t) => {
  const { call, refuse } = await createGatewayDesk(t);
  const { runId } = await call("sessions.spawn", { task: "look", idempotencyKey: key });
  assert.deepEqual(await call("subagents.stop", { runId }), { stopped: true });
  assert.deepEqual(await call("subagents.stop", { runId }), { stopped: false });
  assert.equal((await refuse("subagents.stop", { runId: "no-such" })).code, "NOT_FOUND");
});
