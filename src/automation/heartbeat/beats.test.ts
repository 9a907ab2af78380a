/** When a heart beats, why it does not, and what that leaves in the ledger. On the real store, with a clock that the test moves. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createHeartbeatStage, owner } from "../../../test/fakes/heartbeat-stage.ts";

const minute = 60_000;
const day = 24 * 60 * minute;

test("an idle day with an empty file: no letter, no model call, one row", async (context) => {
  const stage = await createHeartbeatStage(context);
  stage.scene.file = "# Heartbeat\n\n<!-- nothing yet -->\n- [ ]\n";
  await stage.clock.advance(day);
  assert.equal((await stage.store.turns.list({ limit: 10 })).length, 0);
  const ledger = await stage.store.due.ledger({ source: "heartbeat", limit: 1000 });
  assert.deepEqual(
    ledger.map(({ state, reason }) => [state, reason]),
    [["skipped", "empty-heartbeat-file"]],
  );
  assert.equal(stage.events.length, 288);
  assert.ok(stage.events.every(({ status, reason }) => status === "skipped" && reason === "empty-heartbeat-file"));
  assert.equal((await stage.heartbeat.last("main"))?.ts, stage.clock.now());
});

test("a file that gains content is looked at with the next beat", async (context) => {
  const stage = await createHeartbeatStage(context);
  stage.scene.file = undefined;
  await stage.clock.advance(23 * minute);
  stage.scene.file = "- is the oven on?";
  assert.equal(stage.wakes(), 0);
  await stage.clock.advance(2 * minute);
  assert.equal(stage.wakes(), 1);
  const { errand, message, route } = await stage.claim();
  assert.match(message.text, /^\[HEARTBEAT\] Look\.\n\n<file path="HEARTBEAT\.md">\n- is the oven on\?\n<\/file>$/);
  assert.deepEqual(
    [route.type, route.sessionKey, errand.id, errand.principal, errand.files, errand.isFresh, errand.thinking],
    ["cron", "agent:main:cron:heartbeat", "main", owner, "none", true, "off"],
  );
  const [ran] = await stage.store.due.ledger({ source: "heartbeat", limit: 1 });
  assert.equal(ran?.reason, "after 4 beats skipped as empty-heartbeat-file");
});

test("the first reason in the order of the spec is the one that is given", async (context) => {
  const stage = await createHeartbeatStage(context);
  const { scene } = stage;
  scene.config = { ...scene.config, enabled: false, activeHours: { start: "02:00", end: "03:00" } };
  await stage.say("hello");
  scene.file = "# nothing";
  scene.isOverBudget = true;
  scene.owner = undefined;
  const reasons: (string | undefined)[] = [];
  const beat = async () => {
    await stage.heartbeat.wake("main");
    await stage.clock.advance(10);
    reasons.push(stage.events.at(-1)?.reason);
  };
  await beat();
  scene.config = { ...scene.config, enabled: undefined };
  await beat();
  scene.config = { ...scene.config, activeHours: undefined };
  await beat();
  await stage.finishTalk();
  await beat();
  scene.file = "- mail?";
  await beat();
  scene.isOverBudget = false;
  await beat();
  assert.deepEqual(reasons, [
    "disabled",
    "quiet-hours",
    "requests-in-flight",
    "empty-heartbeat-file",
    "over-budget",
    "no-chat",
  ]);
  assert.equal(stage.wakes(), 0);
  scene.owner = owner;
  await beat();
  assert.equal(stage.wakes(), 1);
});

test("a beat that is not over keeps the next one from starting", async (context) => {
  const stage = await createHeartbeatStage(context);
  await stage.clock.advance(5 * minute);
  await stage.claim();
  await stage.clock.advance(20 * minute);
  assert.equal((await stage.store.turns.list({ limit: 10 })).length, 1);
  assert.equal(stage.events.at(-1)?.reason, "requests-in-flight");
});

test("quiet hours cost one look: the next beat is at the opening", async (context) => {
  // 21:55 in Vienna.
  const stage = await createHeartbeatStage(context, Date.UTC(2026, 0, 15, 20, 55));
  stage.scene.config = { ...stage.scene.config, activeHours: { start: "08:00", end: "22:02" } };
  await stage.heartbeat.follow();
  // Due at 22:00, then at 22:05, which is moved to eight o'clock.
  await stage.clock.advance(30 * minute);
  assert.equal(stage.wakes(), 1);
  await stage.answer("HEARTBEAT_OK");
  assert.equal((await stage.heartbeat.status())[0]?.nextAt, Date.UTC(2026, 0, 16, 7));
  await stage.clock.advance(9 * 60 * minute);
  assert.equal(stage.events.filter(({ reason }) => reason === "quiet-hours").length, 0);
  await stage.heartbeat.wake("main");
  await stage.clock.advance(minute);
  assert.equal(stage.events.at(-1)?.reason, "quiet-hours");
  assert.equal((await stage.heartbeat.status())[0]?.nextAt, Date.UTC(2026, 0, 16, 7));
  await stage.clock.advance(60 * minute);
  assert.equal(stage.wakes(), 2);
});

test("a long interval does not sleep through the opening", async (context) => {
  const stage = await createHeartbeatStage(context, Date.UTC(2026, 0, 16, 5));
  stage.scene.config = {
    ...stage.scene.config,
    everyMs: 12 * 60 * minute,
    activeHours: { start: "08:00", end: "22:00" },
  };
  await stage.heartbeat.wake("main");
  await stage.clock.advance(minute);
  assert.equal(stage.events.at(-1)?.reason, "quiet-hours");
  assert.equal((await stage.heartbeat.status())[0]?.nextAt, Date.UTC(2026, 0, 16, 7));
});

test("a changed interval holds at once, and an agent that is switched off or gone rests", async (context) => {
  const stage = await createHeartbeatStage(context);
  const { scene, heartbeat, clock } = stage;
  const nextIn = async () => ((await heartbeat.status())[0]?.nextAt ?? Number.NaN) - clock.now();
  scene.config = { ...scene.config, everyMs: 60 * minute };
  await heartbeat.follow();
  assert.equal(await nextIn(), 60 * minute);
  await clock.advance(10 * minute);
  await heartbeat.follow();
  assert.equal(await nextIn(), 50 * minute);
  scene.config = { ...scene.config, enabled: false };
  await heartbeat.follow();
  await clock.advance(day);
  assert.equal(stage.events.length, 0);
  assert.equal((await heartbeat.status())[0]?.isEnabled, false);
  scene.config = { ...scene.config, enabled: true };
  await heartbeat.follow();
  assert.equal(await nextIn(), 60 * minute);
  scene.hasAgent = false;
  await heartbeat.follow();
  assert.deepEqual(await stage.store.due.list("heartbeat"), []);
  assert.equal(await heartbeat.wake("main"), false);
});

test("a restart does not beat anew, and beats missed meanwhile are one", async (context) => {
  const stage = await createHeartbeatStage(context);
  for (let n = 0; n < 4; n++) {
    await stage.restart();
    await stage.clock.advance(minute);
  }
  assert.equal(stage.wakes(), 0);
  await stage.scheduler.stop();
  await stage.clock.advance(day);
  await stage.restart();
  assert.equal(stage.wakes(), 1);
  const [late] = await stage.store.due.ledger({ source: "heartbeat", limit: 1 });
  assert.equal(late?.reason, "for 287 more that mom was not there for");
  const nextAt = (await stage.heartbeat.status())[0]?.nextAt ?? 0;
  assert.ok(nextAt > stage.clock.now() && nextAt <= stage.clock.now() + 5 * minute);
});

test("beats that keep failing are spaced out, and one that works ends that", async (context) => {
  const stage = await createHeartbeatStage(context);
  const gaps: number[] = [];
  const gapToNext = async () => ((await stage.heartbeat.status())[0]?.nextAt ?? 0) - stage.clock.now();
  const beat = async (outcome: "failed" | "done") => {
    await stage.clock.advance(await gapToNext());
    gaps.push((await gapToNext()) / minute);
    await stage.answer("HEARTBEAT_OK", outcome === "failed" ? { outcome, error: "no key" } : {});
  };
  for (let n = 0; n < 7; n++) await beat("failed");
  assert.deepEqual(gaps, [5, 5, 10, 20, 40, 80, 80]);
  const last = stage.events.at(-1);
  assert.deepEqual([last?.status, last?.reason, last?.indicatorType], ["failed", "no key", "error"]);
  await beat("done");
  await beat("done");
  assert.equal(gaps.at(-1), 5);
});

test("a clock that is turned back does not silence it", async (context) => {
  const stage = await createHeartbeatStage(context);
  const before = stage.clock.now() - 3 * day;
  await stage.heartbeat.handler.clockTurnedBack?.(before);
  assert.equal((await stage.heartbeat.status())[0]?.nextAt, before + 5 * minute);
});
