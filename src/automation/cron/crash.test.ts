/** Jobs and crashes: wherever the process dies, every due time has one run, one end in the ledger, one post and one word. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { DueCrash } from "../../../test/fakes/crash-at.ts";
import { buildErrandJob, buildWord, openCronStage } from "../../../test/fakes/cron-stage.ts";
import { createJobBook } from "./job-book.ts";

const hourMs = 3600_000;
const everyHour = { kind: "every" as const, everyMs: hourMs };
const posting = { kind: "agentTurn" as const, message: "look", deliver: true };

const settleCrashes: DueCrash[] = [
  { call: "settle", when: "before" },
  { call: "settle", when: "after" },
];

for (const crash of settleCrashes) {
  test(`dying ${crash.when} the end of a due time is written leaves one run of each job`, async (context) => {
    const stage = await openCronStage(context);
    const before = await stage.begin();
    const atMs = stage.clock.now() + hourMs;
    const word = await before.cron.add(buildWord({ schedule: everyHour }));
    const errand = await before.cron.add(buildErrandJob({ schedule: everyHour, payload: posting }));
    const once = await before.cron.add(buildWord({ schedule: { kind: "at", atMs } }));
    await before.end();
    for (let n = 0; n < 4; n++) {
      const life = await stage.begin(crash);
      await life.look();
      await life.pass(n === 0 ? hourMs + 1000 : 1000);
      await life.end();
    }
    const last = await stage.begin();
    await last.look();
    const turns = (await last.turns()).toSorted();
    assert.deepEqual(turns, [
      "C1 [CRON:tea] make tea",
      "C1 [REMINDER] make tea",
      `cron/main/${errand.id} [CRON:report] look`,
    ]);
    for (const id of [word.id, errand.id, once.id]) {
      const rows = await last.ledger(id);
      assert.equal(rows.length, 1, rows.join("\n"));
      assert.match(rows[0] ?? "", /^2026-01-01T01:00:00.000Z ran/);
    }
    assert.equal(await last.cron.get(once.id), undefined);
    await last.end();
  });
}

test("the same due time, decided twice by two who look, is settled once", async (context) => {
  const stage = await openCronStage(context);
  const life = await stage.begin();
  await life.cron.start();
  const job = await life.cron.add(buildErrandJob({ schedule: everyHour }));
  await stage.clock.advance(hourMs);
  const item = await life.store.due.get("cron", job.id);
  assert.ok(item);
  const first = await life.cron.handler.decide(item, stage.clock.now());
  const second = await life.cron.handler.decide(item, stage.clock.now());
  assert.deepEqual(second, first);
  assert.ok(first.type === "settle" && second.type === "settle");
  assert.ok(await life.store.due.settle(item, first));
  assert.equal(await life.store.due.settle(item, second), undefined);
  assert.equal((await life.turns()).length, 1);
  assert.equal((await life.ledger(job.id)).length, 1);
  await life.end();
});

test("an end that is asked for twice is told and posted once", async (context) => {
  const stage = await openCronStage(context);
  const first = await stage.begin();
  await first.look();
  const job = await first.cron.add(buildErrandJob({ schedule: everyHour, payload: posting }));
  await first.pass(hourMs);
  await first.work({ reply: "all is well" }, "before-finish");
  assert.deepEqual(await first.posts(), []);
  await first.end();
  const second = await stage.begin();
  await second.look();
  await second.work({ reply: "all is well" });
  assert.deepEqual(await second.posts(), ["C1 all is well"]);
  assert.deepEqual(await second.heard(), ["[CRON:report] all is well"]);
  assert.equal((await second.cron.get(job.id))?.state.lastStatus, "ok");
  await second.end();
});

test("an end that nobody could note is read from its turn: failures count, and the job goes on", async (context) => {
  const stage = await openCronStage(context);
  let life = await stage.begin();
  const job = await life.cron.add(buildErrandJob({ schedule: everyHour }));
  for (let n = 0; n < 4; n++) {
    await life.look();
    await life.pass(hourMs);
    assert.ok(await life.work({ outcome: "failed", reply: "no", error: "no network" }, "before-ended"), `run ${n}`);
    await life.end();
    life = await stage.begin();
  }
  const known = await life.cron.get(job.id);
  assert.deepEqual(
    [known?.state.failures, known?.state.lastError, known?.state.runningAtMs],
    [4, "no network", undefined],
  );
  const notices = (await life.posts()).filter((post) => post.includes("3 times in a row"));
  assert.equal(notices.length, 1);
  await life.end();
});

test("a job for once whose end nobody could note is gone after the next start", async (context) => {
  const stage = await openCronStage(context);
  const first = await stage.begin();
  await first.look();
  const job = await first.cron.add(buildErrandJob({ schedule: { kind: "at", atMs: stage.clock.now() + 1000 } }));
  await first.pass(1000);
  await first.end();
  const second = await stage.begin();
  await second.look();
  assert.ok(await second.cron.get(job.id), "it runs still");
  await second.work({}, "before-ended");
  await second.end();
  const third = await stage.begin();
  await third.look();
  assert.equal(await third.cron.get(job.id), undefined);
  assert.equal((await third.cron.runs(job.id, 5))[0]?.status, "ok");
  await third.end();
});

test("the end of an older run is not taken for that of the one that goes on", async (context) => {
  const stage = await openCronStage(context);
  const life = await stage.begin();
  await life.look();
  const job = await life.cron.add(buildErrandJob({ schedule: everyHour }));
  await life.pass(hourMs);
  const [turn] = await life.store.turns.list({ limit: 1 });
  await life.work({}, "before-ended");
  await life.pass(hourMs);
  assert.ok(turn?.message.errand);
  // The word of the first one's end comes late.
  const claimed = { ...turn, token: 1 };
  await life.cron.errands.ended?.(turn.message.errand, claimed, { outcome: "failed", reply: "no" });
  const known = await life.cron.get(job.id);
  assert.ok(known?.state.runningAtMs);
  assert.deepEqual([known.state.failures, known.state.lastStatus], [undefined, "ok"]);
  await life.end();
});

test("a run that was asked for at the machine happens once, beside the schedule", async (context) => {
  const stage = await openCronStage(context);
  const first = await stage.begin();
  const job = await first.cron.add(buildWord());
  const { due, turns } = first.store;
  const nobody = { agentIds: () => [], models: { isKnown: async () => false }, onChange: () => undefined };
  const book = createJobBook({ due, turns, clock: stage.clock, ...nobody });
  await book.askRun(job.id);
  // What is set meanwhile holds for what comes after it.
  await book.update(job.id, { schedule: { kind: "cron", expr: "0 10 * * *", tz: "UTC" } });
  await first.end();
  for (const crash of [...settleCrashes, undefined]) {
    const life = await stage.begin(crash);
    await life.look();
    await life.pass(1000);
    await life.end();
  }
  const last = await stage.begin();
  assert.equal((await last.turns()).length, 1);
  assert.deepEqual(await last.ledger(job.id), ["2026-01-01T00:00:00.000Z ran asked for by hand"]);
  const known = await last.cron.get(job.id);
  assert.deepEqual([known?.state.nextRunAtMs, known?.state.runAskedAtMs], [Date.UTC(2026, 0, 1, 10), undefined]);
  await last.end();
});

test("after the clock was turned back, times are reckoned anew, and none is served twice", async (context) => {
  const stage = await openCronStage(context);
  const life = await stage.begin();
  await life.look();
  const job = await life.cron.add(
    buildWord({ schedule: { kind: "cron", expr: "0 * * * *", tz: "UTC" }, wakeMode: "next-heartbeat" }),
  );
  await life.pass(3 * hourMs);
  assert.equal((await life.cron.get(job.id))?.state.nextRunAtMs, Date.UTC(2026, 0, 1, 4));
  // A wrong clock had moved it a year on.
  await life.store.due.change("cron", job.id, (item) => ({ dueAt: Date.UTC(2027, 0, 1), data: item.data }));
  await life.cron.handler.clockTurnedBack?.(Date.UTC(2026, 0, 1, 1, 30));
  assert.equal((await life.cron.get(job.id))?.state.nextRunAtMs, Date.UTC(2026, 0, 1, 4));
  await life.end();
});

test("a job whose schedule cannot be read any more rests with the reason, and can still be listed", async (context) => {
  const stage = await openCronStage(context);
  const life = await stage.begin();
  await life.look();
  const job = await life.cron.add(buildWord());
  const schedule = { kind: "cron" as const, expr: "0 9 * * *", tz: "Gone/Zone" };
  await life.store.due.change("cron", job.id, () => ({ dueAt: stage.clock.now() + 1000, data: { ...job, schedule } }));
  await life.pass(60_000);
  const [known] = await life.cron.list();
  assert.equal(known?.state.nextRunAtMs, undefined);
  assert.match(known?.state.lastError ?? "", /its schedule cannot be read: There is no time zone called "Gone\/Zone"/);
  assert.ok(known);
  assert.match(life.cron.describe(known), /cannot be read/);
  assert.equal((await life.ledger(job.id)).length, 1);
  await life.cron.update(job.id, { schedule: { kind: "cron", expr: "0 9 * * *", tz: "UTC" } });
  await life.pass(9 * hourMs);
  assert.equal((await life.turns()).length, 1);
  await life.end();
});

test("failures whose ends nobody was asked for are told to the owner all the same", async (context) => {
  const stage = await openCronStage(context);
  const life = await stage.begin();
  await life.look();
  await life.cron.add(buildErrandJob({ schedule: everyHour }));
  for (let n = 0; n < 5; n++) {
    await life.pass(hourMs);
    // As of a turn that was given up after too many crashes.
    const turn = await life.store.turns.claim(60_000, ["errands"]);
    assert.ok(turn);
    await life.store.turns.finish(turn, { outcome: "failed", error: "it crashed", deliveries: [] });
  }
  const notices = (await life.posts()).filter((post) => post.includes("3 times in a row"));
  assert.equal(notices.length, 1);
  await life.end();
});

test("a row that holds no job is taken off the clock, and the others go on", async (context) => {
  const stage = await openCronStage(context);
  const life = await stage.begin();
  await life.look();
  await life.store.due.put({ source: "cron", id: "odd", dueAt: stage.clock.now(), data: { kind: "from the future" } });
  await life.cron.add(buildWord({ schedule: everyHour }));
  await life.pass(hourMs);
  assert.equal((await life.turns()).length, 1);
  assert.match((await life.ledger("odd")).join(), /skipped there is no job in this row/);
  assert.equal((await life.cron.list()).length, 1);
  await life.end();
});
