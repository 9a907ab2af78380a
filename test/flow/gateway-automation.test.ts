/** Jobs, heartbeat, subagents and memory through the gateway of the real app. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createGatewayWorld, mainKey, newKey } from "./gateway-world.ts";
import { waitFor } from "./world.ts";

const limit = { timeout: 60_000 };

test("a job that is run by hand is told as an event, and its history has the answer", limit, async (t) => {
  const world = await createGatewayWorld(t);
  const operator = await world.connect(await world.start());
  const { schedule, text, next } = await operator.call("cron.preview", { when: "every day at 9:00", tz: "Asia/Tokyo" });
  assert.deepEqual([text, next.length], ["every day at 09:00 (Asia/Tokyo)", 5]);
  const payload = { kind: "agentTurn", message: "the news, please", deliver: true } as const;
  const job = await operator.call("cron.add", { name: "News", schedule, payload, idempotencyKey: newKey() });
  assert.equal(job.home.askedBy.id, "owner");
  const { ran } = await operator.call("cron.run", { id: job.id, idempotencyKey: newKey() });
  assert.equal(ran, true);
  await waitFor(async () => (await operator.call("cron.runs", { id: job.id })).runs[0]?.status === "ok");
  const { runs } = await operator.call("cron.runs", { id: job.id });
  assert.match(runs[0]?.summary ?? "", /news/);
  // What is posted is in the owner's own chat.
  await waitFor(() => operator.told("chat.post").some(({ text: said = "" }) => said.includes("news")));
  await waitFor(() => operator.told("cron").length >= 2);
  await assert.rejects(operator.call("cron.preview", { when: "when pigs fly" }), { code: "INVALID_REQUEST" });
});

test("a subagent that an operator asks for comes back to the session once", limit, async (t) => {
  const world = await createGatewayWorld(t);
  const operator = await world.connect(await world.start());
  const ask = { task: "compare the offers", label: "Offers", idempotencyKey: newKey() };
  const run = await operator.call("sessions.spawn", ask);
  assert.equal(run.requester, mainKey);
  assert.equal((await operator.call("sessions.spawn", ask)).runId, run.runId);
  const stateOf = async () => (await operator.call("subagents.list", {})).runs.map(({ state }) => state);
  await waitFor(async () => (await stateOf())[0] === "done");
  assert.deepEqual(await stateOf(), ["done"]);
  const heard = () => operator.told("chat.end").filter(({ state }) => state === "done").length;
  await waitFor(() => heard() >= 2);
  const { items } = await operator.call("chat.history", { sessionKey: mainKey });
  const findings = items.filter(({ role, text = "" }) => role === "user" && text.includes("[SUBAGENT Offers"));
  assert.equal(findings.length, 1, JSON.stringify(items));
  assert.deepEqual(await operator.call("subagents.stop", { runId: run.runId }), { stopped: false });
});

test("a heart with nothing to look at says so, and no model is asked", limit, async (t) => {
  const world = await createGatewayWorld(t);
  const operator = await world.connect(await world.start());
  await operator.call("heartbeat.beat", { idempotencyKey: newKey() });
  await waitFor(() => operator.told("heartbeat").length > 0);
  const [event] = operator.told("heartbeat");
  assert.deepEqual([event?.agentId, event?.status], ["main", "skipped"]);
  const { agents } = await operator.call("heartbeat.status", {});
  assert.equal(agents[0]?.last?.reason, event?.reason);
});

test("notes are indexed, found and opened, and what is not remembered from is not", limit, async (t) => {
  const world = await createGatewayWorld(t);
  const operator = await world.connect(await world.start());
  await writeFile(join(world.dataDir, "workspace", "MEMORY.md"), "# Home\n\nThe red bicycle is in the cellar.\n");
  await operator.call("memory.index", { idempotencyKey: newKey() });
  await waitFor(async () => (await operator.call("memory.status", {})).files > 0);
  const { hits } = await operator.call("memory.search", { query: "bicycle", mode: "text" });
  assert.equal(hits[0]?.path, "MEMORY.md");
  const { text } = await operator.call("memory.get", { path: "MEMORY.md", from: 3, to: 3 });
  assert.equal(text, "The red bicycle is in the cellar.");
  await assert.rejects(operator.call("memory.get", { path: "../config.json" }), { code: "INVALID_REQUEST" });
});
