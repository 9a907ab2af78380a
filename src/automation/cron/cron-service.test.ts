/** Jobs from their time to their end, on the real store: what runs, what is told to whom, and what the ledger says. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { asker, buildErrandJob, buildWord, homeChat, openCronStage } from "../../../test/fakes/cron-stage.ts";
import type { CronJob } from "../../contracts/cron.ts";

const hourMs = 3600_000;
const dayMs = 24 * hourMs;

test("a job says its words in its chat, every time once, and the ledger has each", async (context) => {
  const stage = await openCronStage(context);
  const life = await stage.begin();
  await life.look();
  const job = await life.cron.add(buildWord());
  assert.equal(job.state.nextRunAtMs, Date.UTC(2026, 0, 1, 9));
  await life.pass(9 * hourMs);
  assert.equal(await life.work(), "[CRON:tea] make tea");
  await life.pass(dayMs);
  assert.equal(await life.work(), "[CRON:tea] make tea");
  assert.deepEqual(await life.ledger(job.id), ["2026-01-01T09:00:00.000Z ran", "2026-01-02T09:00:00.000Z ran"]);
  const known = await life.cron.get(job.id);
  assert.equal(known?.state.lastStatus, "ok");
  assert.equal(known?.state.nextRunAtMs, Date.UTC(2026, 0, 3, 9));
  assert.equal(known?.state.runningAtMs, undefined);
  await life.end();
});

test("a reminder comes once, is gone then, and its ledger stays", async (context) => {
  const stage = await openCronStage(context);
  const life = await stage.begin();
  await life.look();
  const atMs = stage.clock.now() + 120_000;
  const home = { channel: homeChat, askedBy: asker, outside: "https://a.example/" };
  const job = await life.cron.add(buildWord({ schedule: { kind: "at", atMs }, home }));
  await life.pass(119_000);
  assert.deepEqual(await life.turns(), []);
  await life.pass(2_000);
  assert.deepEqual(await life.turns(), ["C1 [REMINDER] make tea"]);
  const [turn] = await life.store.turns.list({ limit: 1 });
  assert.deepEqual(turn?.message.metadata, { outside: "https://a.example/" });
  assert.equal(turn?.message.sender.id, "U1");
  assert.equal(await life.cron.get(job.id), undefined);
  assert.deepEqual(await life.ledger(job.id), ["2026-01-01T00:02:00.000Z ran"]);
  await life.end();
});

test("words for later are heard without a turn", async (context) => {
  const stage = await openCronStage(context);
  const life = await stage.begin();
  await life.look();
  const job = await life.cron.add(buildWord({ wakeMode: "next-heartbeat" }));
  await life.pass(9 * hourMs);
  assert.deepEqual(await life.turns(), []);
  assert.deepEqual(await life.heard(), ["[CRON:tea] make tea"]);
  assert.equal((await life.cron.get(job.id))?.state.lastStatus, "ok");
  await life.end();
});

test("a run of its own has the rights of who asked, begins anew, and tells its chat the beginning", async (context) => {
  const stage = await openCronStage(context);
  const life = await stage.begin();
  await life.look();
  const job = await life.cron.add(
    buildErrandJob({
      payload: {
        kind: "agentTurn",
        message: "write the report",
        model: "fake/one",
        thinking: "low",
        timeoutSeconds: 60,
      },
    }),
  );
  await life.pass(9 * hourMs);
  const [turn] = await life.store.turns.list({ limit: 1 });
  const errand = turn?.message.errand;
  assert.equal(turn?.route.type, "cron");
  assert.equal(errand?.principal.sender.id, "U1");
  assert.equal(errand?.isFresh, true);
  assert.deepEqual([errand?.model, errand?.thinking, errand?.timeoutMs], ["fake/one", "low", 60_000]);
  assert.equal((await life.cron.get(job.id))?.state.runningTurnId, turn?.id);
  const long = `Sales are up. ${"word ".repeat(300)}`;
  await life.work({ reply: long });
  assert.deepEqual(await life.posts(), []);
  const [told = ""] = await life.heard();
  assert.match(told, /^\[CRON:report\] Sales are up\. word .*… \(the beginning; it has 1513 characters\)$/);
  assert.ok(told.length < 600);
  const [run] = await life.cron.runs(job.id, 10);
  assert.equal(run?.status, "ok");
  assert.match(run?.summary ?? "", /^Sales are up\. word/);
  await life.end();
});

test("the whole text is told up to the job's limit, with the job's prefix", async (context) => {
  const stage = await openCronStage(context);
  const life = await stage.begin();
  await life.look();
  const full = (postToMainMaxChars?: number) => ({
    isolation: {
      postToMainMode: "full" as const,
      postToMainPrefix: "[news]",
      ...(postToMainMaxChars !== undefined && { postToMainMaxChars }),
    },
  });
  await life.cron.add(buildErrandJob(full()));
  await life.cron.add(buildErrandJob(full(10)));
  await life.pass(9 * hourMs);
  await life.work({ reply: "x".repeat(3000) });
  await life.work({ reply: "y".repeat(3000) });
  const heard = await life.heard();
  assert.ok(heard.includes(`[news] ${"x".repeat(3000)}`) || heard.includes(`[news] ${"y".repeat(3000)}`));
  assert.ok(heard.some((text) => /^\[news\] (x|y){10}… /.test(text)));
  await life.end();
});

test("an answer is posted where the job says, and silence is not", async (context) => {
  const stage = await openCronStage(context);
  stage.sessionType = "main";
  const life = await stage.begin();
  await life.look();
  const payload = { kind: "agentTurn" as const, message: "look", deliver: true };
  const here = await life.cron.add(buildErrandJob({ payload }));
  const there = await life.cron.add(buildErrandJob({ payload: { ...payload, channel: "slack", to: "C9" } }));
  await life.cron.run(here.id, "force");
  await life.work({ reply: "two new letters" });
  await life.cron.run(there.id, "force");
  await life.work({ reply: "elsewhere" });
  assert.deepEqual(await life.posts(), ["C1 two new letters", "C9 elsewhere"]);
  await life.pass(1);
  await life.cron.run(here.id, "force");
  await life.work({ reply: " [SILENT] " });
  assert.equal((await life.posts()).length, 2);
  assert.equal((await life.heard()).length, 2);
  await life.end();
});

test("'last' is where the session last spoke", async (context) => {
  const stage = await openCronStage(context);
  const life = await stage.begin();
  await life.look();
  const job = await life.cron.add(
    buildErrandJob({ payload: { kind: "agentTurn", message: "look", deliver: true, channel: "last" } }),
  );
  await life.cron.run(job.id, "force");
  const [turn] = await life.store.turns.list({ limit: 1 });
  const principal = turn?.message.errand?.principal;
  assert.ok(principal);
  const channel = { adapter: "slack", channelId: "C7" };
  await life.store.sessions.open({ sessionKey: principal.sessionKey, type: "group", agentId: "main", channel });
  await life.work({ reply: "here I am" });
  assert.deepEqual(await life.posts(), ["C7 here I am"]);
  await life.end();
});

test("who is not the owner can post to their own chat only", async (context) => {
  const stage = await openCronStage(context);
  const life = await stage.begin();
  await life.look();
  const payload = { kind: "agentTurn" as const, message: "look", deliver: true, channel: "slack", to: "C9" };
  await assert.rejects(life.cron.add(buildErrandJob({ payload })), { code: "CRON_TARGET_REFUSED" });
  const job = await life.cron.add(buildErrandJob());
  await assert.rejects(life.cron.update(job.id, { payload }), { code: "CRON_TARGET_REFUSED" });
  // One that was made as the owner, by somebody who is none any more.
  stage.sessionType = "main";
  await life.cron.update(job.id, { payload });
  stage.sessionType = "group";
  await life.cron.run(job.id, "force");
  await life.work({ reply: "secret" });
  assert.deepEqual(await life.posts(), []);
  assert.match((await life.heard()).join(), /not posted to slack\/C9: who asked for the job may not/);
  await life.end();
});

test("a run that is still going when the next is due lets that one be skipped", async (context) => {
  const stage = await openCronStage(context);
  const life = await stage.begin();
  await life.look();
  const job = await life.cron.add(buildErrandJob({ schedule: { kind: "every", everyMs: hourMs } }));
  await life.pass(2 * hourMs);
  assert.equal((await life.turns()).length, 1);
  assert.deepEqual(await life.cron.run(job.id, "force"), { ran: false, reason: "its last run is still going" });
  const [, second = ""] = await life.ledger(job.id);
  assert.match(second, /^2026-01-01T02:00:00.000Z skipped its last run is still going \(turn t/);
  await life.work();
  await life.pass(hourMs);
  assert.equal((await life.turns()).length, 2);
  await life.end();
});

test("after a long sleep one run catches up, and what went by is in the ledger as missed", async (context) => {
  const stage = await openCronStage(context);
  const first = await stage.begin();
  await first.look();
  const job = await first.cron.add(buildWord({ schedule: { kind: "every", everyMs: hourMs } }));
  await first.end();
  await stage.clock.advance(5 * hourMs + 600_000);
  const second = await stage.begin();
  await second.look();
  assert.deepEqual(await second.turns(), ["C1 [CRON:tea] make tea"]);
  const passed = "missed nobody could serve it before a later one was due";
  assert.deepEqual(await second.ledger(job.id), [
    `2026-01-01T01:00:00.000Z ${passed}`,
    `2026-01-01T02:00:00.000Z ${passed}`,
    `2026-01-01T03:00:00.000Z ${passed}`,
    `2026-01-01T04:00:00.000Z ${passed}`,
    "2026-01-01T05:00:00.000Z ran 10 min late",
  ]);
  assert.equal((await second.cron.get(job.id))?.state.nextRunAtMs, Date.UTC(2026, 0, 1, 6));
  await second.end();
});

test("what is older than the limit is missed, and a long gap fills a hundred rows at most", async (context) => {
  const stage = await openCronStage(context);
  const first = await stage.begin();
  await first.look();
  const minutely = await first.cron.add(buildWord({ schedule: { kind: "cron", expr: "* * * * *", tz: "UTC" } }));
  const weekly = await first.cron.add(buildWord({ schedule: { kind: "cron", expr: "0 9 * * 5", tz: "UTC" } }));
  const atMs = stage.clock.now() + hourMs;
  const once = await first.cron.add(
    buildWord({ schedule: { kind: "at", atMs }, payload: { kind: "systemEvent", text: "call Bob" } }),
  );
  await first.end();
  await stage.clock.advance(5 * dayMs);
  const second = await stage.begin();
  await second.look();
  assert.equal((await second.turns()).length, 1);
  const rows = await second.ledger(minutely.id);
  assert.equal(rows.length, 101);
  assert.match(
    rows.at(-2) ?? "",
    /missed nobody could serve it.*; at least 901 more up to 2026-01-06T00:00:00.000Z are not listed$/,
  );
  assert.match(rows.at(-1) ?? "", /^2026-01-06T00:00:00.000Z ran/);
  assert.deepEqual(await second.ledger(weekly.id), [
    "2026-01-02T09:00:00.000Z missed it could not be served for 4 days, which is too late",
  ]);
  assert.equal((await second.cron.get(weekly.id))?.state.nextRunAtMs, Date.UTC(2026, 0, 9, 9));
  // A reminder has no other time: the person hears that it was missed.
  assert.match((await second.posts()).join(), /^C1 I missed a reminder: `call Bob` was due at 2026-01-01T01:00/);
  assert.equal(await second.cron.get(once.id), undefined);
  assert.match((await second.ledger(once.id)).join(), /missed/);
  await second.end();
});

test("a job that keeps failing is tried less often, and the owner hears of it once", async (context) => {
  const stage = await openCronStage(context);
  const life = await stage.begin();
  await life.look();
  const job = await life.cron.add(buildErrandJob({ schedule: { kind: "every", everyMs: 60_000 } }));
  let runs = 0;
  for (let minute = 0; minute < 120; minute++) {
    await life.pass(60_000);
    if (await life.work({ outcome: "failed", reply: "I could not", error: "no network" })) runs++;
  }
  // Minutes 1, 2, 7, 22, 82.
  assert.equal(runs, 5);
  const notices = (await life.posts()).filter((post) => post.includes("3 times in a row"));
  assert.equal(notices.length, 1);
  assert.match(notices[0] ?? "", /^D1 The job `report` .*\nThe last error: `I could not`/);
  const known = await life.cron.get(job.id);
  assert.deepEqual([known?.state.failures, known?.state.toldOfFailures], [5, true]);
  assert.equal((await life.ledger(job.id)).length, 120);
  assert.match((await life.heard()).join("\n"), /\[CRON:report\] The run failed: I could not/);
  // It works again: from then on as before.
  await life.pass(4 * hourMs);
  await life.work();
  await life.pass(60_000);
  await life.work();
  const mended = await life.cron.get(job.id);
  assert.deepEqual([mended?.state.failures, mended?.state.lastStatus], [undefined, "ok"]);
  await life.end();
});

test("words that keep failing in their chat are told to the owner too, once", async (context) => {
  const stage = await openCronStage(context);
  const life = await stage.begin();
  await life.look();
  await life.cron.add(buildWord());
  for (let day = 0; day < 6; day++) {
    await life.pass(dayMs);
    await life.work({ outcome: "failed", error: "no key" });
  }
  const notices = (await life.posts()).filter((post) => post.includes("3 times in a row"));
  assert.equal(notices.length, 1);
  assert.match(notices[0] ?? "", /no key/);
  await life.end();
});

test("who may not talk any more: skipped with the reason; an adapter that does not run: later", async (context) => {
  const stage = await openCronStage(context);
  const life = await stage.begin();
  await life.look();
  const word = await life.cron.add(buildWord());
  const errand = await life.cron.add(buildErrandJob());
  stage.refusals.set("U1", "not on the list");
  await life.pass(9 * hourMs);
  assert.match(
    (await life.ledger(word.id)).join(),
    /skipped who asked for it may not talk there any more \(not on the list\)/,
  );
  assert.match((await life.ledger(errand.id)).join(), /skipped who asked for it may not talk there any more/);
  assert.equal((await life.cron.get(word.id))?.state.lastStatus, "skipped");
  assert.deepEqual(await life.turns(), []);
  stage.refusals.clear();
  stage.running.delete("slack");
  await life.pass(dayMs);
  assert.equal((await life.ledger(word.id)).length, 1);
  stage.running.add("slack");
  await life.look();
  assert.equal((await life.turns()).length, 2);
  await life.end();
});

test("switched off, jobs wait; switched on again they catch up", async (context) => {
  const stage = await openCronStage(context);
  const life = await stage.begin();
  await life.look();
  await life.cron.add(buildWord());
  stage.config.enabled = false;
  await life.pass(10 * hourMs);
  assert.deepEqual(await life.turns(), []);
  assert.equal((await life.cron.status()).enabled, false);
  stage.config.enabled = true;
  await life.look();
  assert.equal((await life.turns()).length, 1);
  await life.end();
});

test("over the days on which clocks are put forward and back a daily job runs once a day", async (context) => {
  const stage = await openCronStage(context, Date.UTC(2026, 2, 28, 12));
  const life = await stage.begin();
  await life.look();
  const schedule = { kind: "cron" as const, expr: "30 2 * * *", tz: "Europe/Vienna" };
  const job = await life.cron.add(buildWord({ schedule, wakeMode: "next-heartbeat" }));
  await life.pass(2 * dayMs);
  assert.deepEqual(await life.ledger(job.id), ["2026-03-29T01:00:00.000Z ran", "2026-03-30T00:30:00.000Z ran"]);
  await life.end();
});

test("a change keeps what is known, moves the time, and forgets failures of other work", async (context) => {
  const stage = await openCronStage(context);
  const life = await stage.begin();
  await life.look();
  const job = await life.cron.add(buildErrandJob());
  await life.cron.run(job.id, "force");
  await life.work({ outcome: "failed", reply: "no" });
  const renamed = await life.cron.update(job.id, { name: " weekly\nreport ", outside: "a page" });
  assert.equal(renamed.name, "weekly report");
  assert.equal(renamed.home.outside, "a page");
  assert.deepEqual([renamed.state.failures, renamed.state.nextRunAtMs], [1, Date.UTC(2026, 0, 1, 9)]);
  const off = await life.cron.update(job.id, { enabled: false });
  assert.equal(off.state.nextRunAtMs, undefined);
  assert.equal((await life.cron.list()).length, 0);
  assert.equal((await life.cron.list({ includeDisabled: true })).length, 1);
  const moved = await life.cron.update(job.id, {
    enabled: true,
    schedule: { kind: "cron", expr: "0 8 * * *", tz: "UTC" },
  });
  assert.deepEqual([moved.state.failures, moved.state.nextRunAtMs], [undefined, Date.UTC(2026, 0, 1, 8)]);
  assert.equal(moved.state.lastStatus, "error");
  const spoken = await life.cron.update(job.id, { payload: { kind: "systemEvent", text: "hello" } });
  assert.equal(spoken.sessionTarget, "main");
  assert.equal(await life.cron.remove(job.id), true);
  assert.equal(await life.cron.remove(job.id), false);
  await life.pass(dayMs);
  assert.equal((await life.turns()).length, 1);
  await assert.rejects(life.cron.update(job.id, { name: "x" }), { code: "CRON_NOT_FOUND" });
  await life.end();
});

test("a run by hand is beside the schedule; 'due' only runs what is", async (context) => {
  const stage = await openCronStage(context);
  const life = await stage.begin();
  const job = await life.cron.add(buildErrandJob());
  const early = await life.cron.run(job.id, "due");
  assert.deepEqual(early, { ran: false, reason: "it is due at 2026-01-01T09:00:00.000Z" });
  const forced = await life.cron.run(job.id, "force");
  assert.equal(forced.ran, true);
  assert.ok(forced.turnId);
  assert.equal((await life.cron.get(job.id))?.state.nextRunAtMs, Date.UTC(2026, 0, 1, 9));
  await life.work();
  await life.pass(11 * hourMs);
  const due = await life.cron.run(job.id, "due");
  assert.equal(due.ran, true);
  const runs = await life.cron.runs(job.id, 5);
  assert.deepEqual(
    runs.map(({ state, reason, status }) => [state, reason, status]),
    [
      ["ran", "2 h late", undefined],
      ["ran", "asked for by hand", "ok"],
    ],
  );
  await assert.rejects(life.cron.run("nope", "force"), { code: "CRON_NOT_FOUND" });
  await life.end();
});

test("an errand for once is seen while it runs, gone after it, and its failure is posted", async (context) => {
  const stage = await openCronStage(context);
  const life = await stage.begin();
  await life.look();
  const atMs = stage.clock.now() + 1000;
  const job = await life.cron.add(buildErrandJob({ schedule: { kind: "at", atMs } }));
  await life.pass(1000);
  assert.ok((await life.cron.get(job.id))?.state.runningTurnId);
  await life.work({ outcome: "failed", reply: "no luck" });
  assert.equal(await life.cron.get(job.id), undefined);
  assert.deepEqual(await life.posts(), ["C1 The job `report` failed: `no luck`"]);
  assert.equal((await life.ledger(job.id)).length, 1);
  await life.end();
});

test("a recurring job that is to end with its run does, and one by hand is not that", async (context) => {
  const stage = await openCronStage(context);
  const life = await stage.begin();
  await life.look();
  const word = await life.cron.add(buildWord({ deleteAfterRun: true }));
  const errand = await life.cron.add(buildErrandJob({ deleteAfterRun: true }));
  const kept = await life.cron.add(
    buildWord({ schedule: { kind: "at", atMs: stage.clock.now() + hourMs }, deleteAfterRun: false }),
  );
  await life.cron.run(errand.id, "force");
  await life.work();
  assert.ok((await life.cron.get(errand.id))?.state.nextRunAtMs);
  await life.pass(9 * hourMs);
  assert.equal(await life.cron.get(word.id), undefined);
  assert.equal((await life.cron.get(errand.id))?.state.nextRunAtMs, undefined);
  while (await life.work());
  assert.equal(await life.cron.get(errand.id), undefined);
  assert.equal((await life.cron.get(kept.id))?.state.lastStatus, "ok");
  await life.cron.update(kept.id, { enabled: false });
  await assert.rejects(life.cron.update(kept.id, { enabled: true }), { code: "SCHEDULE_IN_THE_PAST" });
  await life.end();
});

test("what is said by waking keeps where its text came from, read now or later", async (context) => {
  const stage = await openCronStage(context);
  const life = await stage.begin();
  await life.look();
  for (const mode of ["now", "next-heartbeat"] as const) {
    await life.cron.wake({ mode, text: `look ${mode}`, outside: "a page" });
  }
  const stored = await life.store.due.list("cron");
  assert.deepEqual(
    stored.map(({ data }) => (data as CronJob).home.outside),
    ["a page", "a page"],
  );
  await life.look();
  const [turn] = await life.store.turns.list({ limit: 9 });
  assert.deepEqual(turn?.message.metadata, { outside: "a page" });
  const lines = await life.store.channels.tail({ adapter: "slack", channelId: "D1" }, 9);
  assert.deepEqual(lines.map(({ text, outside }) => [text, outside]).toSorted(), [
    ["[WAKE] look next-heartbeat", "a page"],
    ["[WAKE] look now", "a page"],
  ]);
  await life.end();
});

test("wake says something to the main session, now or for later, or has the heart beat", async (context) => {
  const stage = await openCronStage(context);
  const life = await stage.begin();
  await life.look();
  await life.cron.wake({ mode: "now", text: "look at the door" });
  await life.cron.wake({ mode: "next-heartbeat", text: "milk is out" });
  await life.look();
  assert.deepEqual(await life.turns(), ["D1 [WAKE] look at the door"]);
  assert.ok((await life.heard({ adapter: "slack", channelId: "D1" })).includes("[WAKE] milk is out"));
  stage.config.enabled = false;
  await life.cron.wake({ mode: "now", text: "jobs are off" });
  await life.look();
  assert.ok((await life.turns()).includes("D1 [WAKE] jobs are off"));
  await life.cron.wake({ mode: "now" });
  assert.deepEqual(stage.beats, ["main"]);
  await assert.rejects(life.cron.wake({ mode: "next-heartbeat" }), { code: "CRON_TEXT_MISSING" });
  await assert.rejects(life.cron.wake({ mode: "now", text: "x", agentId: "coder" }), { code: "CRON_NO_OWNER" });
  assert.equal((await life.cron.list()).length, 0);
  await life.end();
});
