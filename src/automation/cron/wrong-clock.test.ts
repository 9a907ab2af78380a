/** Jobs over a wall clock that was ahead for a while and is then put right: nothing of that future silences them, nothing runs twice. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { buildErrandJob, buildWord, type CronLife, openCronStage } from "../../../test/fakes/cron-stage.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Timers go on as ever while the wall jumps. */
async function openWrongStage(context: TestContext) {
  const stage = await openCronStage(context);
  const inner = stage.clock;
  const wall = { aheadMs: 0 };
  stage.clock = { ...inner, now: () => inner.now() + wall.aheadMs };
  const life = await stage.begin();
  await life.look();
  context.after(life.end);
  const jump = async (aheadMs: number) => {
    wall.aheadMs = aheadMs;
    await inner.advance(61_000);
  };
  return { stage, life, jump };
}

/** Turns of the next days, as they come. */
async function live(life: CronLife, days: number): Promise<number> {
  let turns = 0;
  for (let n = 0; n < days; n++) {
    await life.pass(dayMs);
    while ((await life.work()) !== undefined) turns++;
  }
  return turns;
}

for (const days of [40, 365]) {
  test(`a clock that was ${days} days ahead for a minute costs a daily job no run`, async (context) => {
    const { life, jump } = await openWrongStage(context);
    const job = await life.cron.add(buildWord());
    await jump(days * dayMs);
    await life.work();
    await jump(0);
    assert.equal((await life.cron.get(job.id))?.state.nextRunAtMs, Date.UTC(2026, 0, 1, 9));
    assert.equal(await live(life, 20), 20);
    const rows = await life.store.due.ledger({ source: "cron", id: job.id, limit: 1000 });
    const real = rows.filter(({ dueAt }) => dueAt < Date.UTC(2026, 0, 22)).map(({ state }) => state);
    assert.deepEqual(real, Array(20).fill("ran"));
    assert.equal(rows.filter(({ dueAt, state }) => state !== "ran" && dueAt > Date.UTC(2026, 0, 22)).length, 0);
    const ids = (await life.store.turns.list({ limit: 1000 })).map(({ message }) => message.id);
    assert.equal(new Set(ids).size, ids.length);
  });
}

test("what ran by a clock that was ahead does not run again when its time comes", async (context) => {
  const { life, jump } = await openWrongStage(context);
  const job = await life.cron.add(buildWord());
  await jump(dayMs + 9 * hourMs);
  assert.match((await life.work()) ?? "", /make tea/);
  await jump(0);
  assert.equal(await live(life, 4), 3);
  assert.deepEqual(await life.ledger(job.id), [
    "2026-01-01T09:00:00.000Z ran",
    "2026-01-02T09:00:00.000Z ran",
    "2026-01-03T09:00:00.000Z ran",
    "2026-01-04T09:00:00.000Z ran",
  ]);
});

test("a failure by a clock that was ahead does not put a job off for months", async (context) => {
  const { life, jump, stage } = await openWrongStage(context);
  const job = await life.cron.add(buildErrandJob());
  await life.pass(8.99 * hourMs);
  await jump(300 * dayMs + 5 * minuteMs);
  await life.work({ outcome: "failed", error: "the certificate has expired", reply: "" });
  await jump(0);
  const { state } = (await life.cron.get(job.id)) ?? {};
  assert.equal(state?.failures, 1);
  assert.ok((state?.lastRunAtMs ?? 0) <= stage.clock.now());
  assert.equal(await live(life, 20), 20);
});

test("a last run in a time that has not come is no reason to wait", async (context) => {
  const { life, stage } = await openWrongStage(context);
  const job = await life.cron.add(buildErrandJob());
  const state = { failures: 1, lastRunAtMs: stage.clock.now() + 300 * dayMs };
  await life.store.due.change("cron", job.id, ({ dueAt = 0 }) => ({ dueAt, data: { ...job, state } }));
  assert.equal(await live(life, 3), 3);
});

test("a job whose schedule cannot be read keeps no other from being reckoned anew", async (context) => {
  const { life, jump, stage } = await openWrongStage(context);
  const bad = await life.cron.add(buildWord());
  const good = await life.cron.add(buildWord());
  await life.store.due.change("cron", bad.id, () => ({
    dueAt: Date.UTC(2040, 0, 1),
    data: { ...bad, schedule: { kind: "cron", expr: "nonsense" } },
  }));
  await jump(40 * dayMs);
  await jump(0);
  assert.equal((await life.cron.get(good.id))?.state.nextRunAtMs, Date.UTC(2026, 0, 1, 9));
  const told = stage.log.lines.filter(({ text }) => /some jobs could not be reckoned anew/.test(text));
  assert.equal(told.length, 1);
});
