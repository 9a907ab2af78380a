/** Jobs and heartbeats through the gateway. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createGatewayDesk, operatorWith } from "../../../test/fakes/gateway-desk.ts";
import type { CronJob } from "../../contracts/cron.ts";

const key = "key-of-a-test";
const daily = { kind: "cron", expr: "0 9 * * *", tz: "Europe/Berlin" } as const;
const task = { kind: "agentTurn", message: "look at the news", deliver: true, channel: "last" } as const;

test("a job is made from what words were taken for, and everybody is told", async (t) => {
  const { call, events, clock } = await createGatewayDesk(t);
  const { schedule, text, next } = await call("cron.preview", { when: "every day at 9:00", tz: "Europe/Berlin" });
  assert.deepEqual([schedule, text, next.length], [daily, "every day at 09:00 (Europe/Berlin)", 5]);
  assert.ok(next.every((at) => at > clock.now()));
  const job = await call("cron.add", { name: "News", schedule, payload: task, idempotencyKey: key });
  assert.deepEqual([job.when, job.sessionTarget, job.payload], [text, "isolated", task]);
  assert.equal(job.home.askedBy.id, "owner");
  assert.deepEqual((await call("cron.list", {})).jobs, [job]);
  assert.deepEqual(events, [{ event: "cron", payload: { jobId: job.id } }]);
});

test("the same key makes one job", async (t) => {
  const { call } = await createGatewayDesk(t);
  const add = () => call("cron.add", { name: "News", schedule: daily, payload: task, idempotencyKey: key });
  const [one, two] = await Promise.all([add(), add()]);
  assert.equal(one.id, two.id);
  assert.equal((await call("cron.list", {})).total, 1);
});

test("words that nobody understands are refused with the house's own reason and hint", async (t) => {
  const { refuse } = await createGatewayDesk(t);
  const error = await refuse("cron.preview", { when: "now and then" });
  assert.equal(error.code, "INVALID_REQUEST");
  assert.match(error.message, /now and then/);
  assert.deepEqual(error.details, { reason: "CRON_WORDS", hint: "Say it another way." });
});

test("a job is changed key by key, runs, and its due times are told newest first", async (t) => {
  const { call, clock } = await createGatewayDesk(t);
  const { id } = await call("cron.add", { name: "News", schedule: daily, payload: task, idempotencyKey: key });
  const off = await call("cron.update", { id, patch: { enabled: false }, idempotencyKey: key });
  assert.deepEqual([off.enabled, off.name, off.state.nextRunAtMs], [false, "News", undefined]);
  assert.deepEqual((await call("cron.list", { includeDisabled: false })).jobs, []);
  assert.deepEqual(await call("cron.run", { id, mode: "due", idempotencyKey: `${key}-1` }), {
    ran: false,
    reason: "it is not due",
  });
  for (const n of [2, 3]) {
    await clock.advance(1000);
    assert.equal((await call("cron.run", { id, idempotencyKey: `${key}-${n}` })).ran, true);
  }
  const { runs } = await call("cron.runs", { id });
  assert.deepEqual(
    runs.map(({ dueAt, state, status, summary }) => [clock.now() - dueAt, state, status, summary]),
    [
      [0, "ran", "ok", "done: News"],
      [1000, "ran", "ok", "done: News"],
    ],
  );
  assert.equal((await call("cron.runs", { id, limit: 1 })).runs.length, 1);
});

test("a job that is not there is not found, whatever is wanted of it", async (t) => {
  const { call, refuse } = await createGatewayDesk(t);
  const { id } = await call("cron.add", { name: "News", schedule: daily, payload: task, idempotencyKey: key });
  assert.deepEqual(await call("cron.remove", { id, idempotencyKey: key }), { ok: true });
  for (const [method, params] of [
    ["cron.remove", { id }],
    ["cron.run", { id }],
    ["cron.update", { id, patch: { name: "Old" } }],
  ] as const) {
    assert.equal((await refuse(method, { ...params, idempotencyKey: `${key}-2` })).code, "NOT_FOUND", method);
  }
  const stranger = { name: "x", agentId: "nobody", schedule: daily, payload: task, idempotencyKey: `${key}-3` };
  assert.equal((await refuse("cron.add", stranger)).code, "NOT_FOUND");
});

test("what the house keeps of a job beside what is shown does not get out", async (t) => {
  const { call, fake } = await createGatewayDesk(t);
  const { id } = await call("cron.add", { name: "News", schedule: daily, payload: task, idempotencyKey: key });
  const job = fake.automation.jobs.get(id);
  assert.ok(job);
  const more = { state: { ...job.state, toldOfFailures: true, lastError: "x".repeat(50_000) }, secret: "s" };
  fake.automation.jobs.set(id, { ...job, ...more } as CronJob);
  const [shown] = (await call("cron.list", {})).jobs;
  assert.ok(shown && !("secret" in shown) && !("toldOfFailures" in shown.state));
  assert.ok((shown.state.lastError?.length ?? 0) < 3000);
});

test("the main session is woken by name or by default", async (t) => {
  const { call, refuse, fake } = await createGatewayDesk(t);
  await call("cron.wake", { mode: "now", text: "look", idempotencyKey: key });
  await call("cron.wake", { mode: "next-heartbeat", agentId: "helper", idempotencyKey: `${key}-2` });
  assert.deepEqual(fake.automation.woken, [
    { mode: "now", text: "look", agentId: "main" },
    { mode: "next-heartbeat", agentId: "helper" },
  ]);
  const nobody = { mode: "now", agentId: "nobody", idempotencyKey: `${key}-3` };
  assert.equal((await refuse("cron.wake", nobody)).code, "NOT_FOUND");
});

test("a heart beats when it is asked to, and what came of it is told and kept", async (t) => {
  const { call, refuse, contextOf, events, clock } = await createGatewayDesk(t);
  await call("heartbeat.beat", { agentId: "helper", idempotencyKey: key }, contextOf(operatorWith("write")));
  const last = {
    ts: clock.now(),
    agentId: "helper",
    status: "skipped",
    reason: "empty-heartbeat-file",
    silent: true,
  };
  assert.deepEqual(events, [{ event: "heartbeat", payload: last }]);
  const { agents } = await call("heartbeat.status", {});
  assert.deepEqual(
    agents.map(({ agentId, last: event }) => [agentId, event]),
    [
      ["main", undefined],
      ["helper", last],
    ],
  );
  const nobody = await refuse("heartbeat.beat", { agentId: "nobody", idempotencyKey: `${key}-2` });
  assert.equal(nobody.code, "NOT_FOUND");
});
