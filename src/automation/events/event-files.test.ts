/** Event files through their life, on a real store and real folders: each kind, changes, deletions, lateness, and a crash at every step. */
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { DueCrash } from "../../../test/fakes/crash-at.ts";
import { openEventStage, otherChat } from "../../../test/fakes/event-stage.ts";

const start = Date.UTC(2026, 0, 1);
const hourMs = 3600_000;
const immediate = { type: "immediate", channelId: "slack/C1", text: "look at the build" };
const oneShot = { type: "one-shot", channelId: "slack/C1", text: "tea", at: "2026-01-01T03:00:00+01:00" };
const periodic = { type: "periodic", channelId: "slack/C1", text: "plan", schedule: "0 9 * * *", timezone: "UTC" };
const ownFolder = "channels/slack/C1/events";

test("an immediate event is said at once in its chat, as text from outside, and its file goes", async (context) => {
  const stage = await openEventStage(context);
  await stage.write("build.json", immediate);
  const life = await stage.begin();
  await life.settle();
  assert.deepEqual(await life.said(), ["C1 [EVENT:build.json:immediate:immediate] look at the build"]);
  const [turn] = await life.store.turns.list({ limit: 5 });
  assert.deepEqual(turn?.message.metadata, { outside: "event file build.json" });
  assert.equal(turn?.message.sender.id, "U1");
  assert.deepEqual(await stage.names(), []);
  assert.deepEqual(await life.store.due.list("event"), []);
  assert.deepEqual(await life.ledger(), ["events/build.json ran"]);
  await life.end();
});

test("the same file written anew is a new event, also with the same text or the same time", async (context) => {
  const stage = await openEventStage(context);
  const life = await stage.begin();
  for (let n = 0; n < 3; n++) {
    await stage.write("again.json", n === 2 ? { ...oneShot, at: "2026-01-01T00:00:00Z" } : immediate);
    await life.settle();
    // Each needs a time of its own in the ledger: it may be a few milliseconds ahead.
    await stage.clock.advance(5);
    await life.settle();
  }
  assert.equal((await life.said()).length, 3);
  assert.deepEqual(await stage.names(), []);
  await life.end();
});

test("a one-shot waits for its time, moves with a change, and is off when its file is deleted", async (context) => {
  const stage = await openEventStage(context);
  const path = await stage.write("tea.json", oneShot);
  await stage.write("gone.json", oneShot);
  const life = await stage.begin();
  await life.settle();
  assert.deepEqual(await life.said(), []);
  await stage.write("tea.json", { ...oneShot, text: "coffee", at: "2026-01-01T04:00:00Z" });
  await rm(join(stage.dir, "workspace/events/gone.json"));
  await life.settle();
  await stage.clock.advance(3 * hourMs);
  await life.settle();
  assert.deepEqual(await life.said(), [], "neither the old time nor the deleted file counts");
  await stage.clock.advance(hourMs);
  await life.settle();
  assert.deepEqual(await life.said(), ["C1 [EVENT:tea.json:one-shot:2026-01-01T04:00:00Z] coffee"]);
  assert.equal(await stage.exists("events/tea.json"), false, path);
  await life.end();
});

test("a file that changed or went when its time came does not run as it was", async (context) => {
  const stage = await openEventStage(context);
  await stage.write("a.json", oneShot);
  await stage.write("b.json", oneShot);
  const life = await stage.begin();
  await life.settle();
  const [a, b] = await life.store.due.list("event");
  assert.ok(a && b);
  await rm(join(stage.dir, "workspace/events/a.json"));
  await stage.write("b.json", { ...oneShot, text: "coffee" });
  await stage.clock.advance(1000);
  const [first, second] = [await life.events.handler.decide(a, start), await life.events.handler.decide(b, start)];
  assert.deepEqual([first.type === "settle" && first.state, second.type], ["skipped", "wait"]);
  await life.end();
});

test("periodic events run at each time in their zone, and go on until the file goes", async (context) => {
  const stage = await openEventStage(context);
  await stage.write("plan.json", { ...periodic, timezone: "Asia/Tokyo" });
  const life = await stage.begin();
  await life.settle();
  for (let hour = 0; hour < 72; hour++) {
    await stage.clock.advance(hourMs);
    await life.settle();
  }
  const rows = await life.store.due.ledger({ source: "event", limit: 10 });
  assert.deepEqual(
    rows.map(({ dueAt, state }) => [new Date(dueAt).toISOString(), state]).reverse(),
    [2, 3].map((day) => [`2026-01-0${day}T00:00:00.000Z`, "ran"]).concat([["2026-01-04T00:00:00.000Z", "ran"]]),
  );
  assert.deepEqual(await stage.names(), ["plan.json"]);
  await rm(join(stage.dir, "workspace/events/plan.json"));
  await life.settle();
  assert.deepEqual(await life.store.due.list("event"), []);
  await life.end();
});

test("after days of absence a periodic event catches up once, and the other times are missed", async (context) => {
  const stage = await openEventStage(context);
  await stage.write("plan.json", periodic);
  const first = await stage.begin();
  await first.settle();
  await first.end();
  await stage.clock.advance(4 * 24 * hourMs + 10 * hourMs);
  const second = await stage.begin();
  await second.settle();
  assert.equal((await second.said()).length, 1);
  assert.deepEqual(await second.ledger(), [
    ...Array.from({ length: 4 }, () => "events/plan.json missed"),
    "events/plan.json ran",
  ]);
  const [item] = await second.store.due.list("event");
  assert.equal(new Date(item?.dueAt ?? 0).toISOString(), "2026-01-06T09:00:00.000Z");
  await second.end();
});

test("what came due long ago is reported, not run; what came due lately runs at the next start", async (context) => {
  const stage = await openEventStage(context);
  await stage.write("old.json", { ...oneShot, channelId: "slack/C2" });
  await stage.write("late.json", { ...oneShot, at: "2026-01-02T06:00:00Z" });
  const first = await stage.begin();
  await first.settle();
  await first.end();
  await stage.clock.advance(30 * hourMs);
  const second = await stage.begin();
  await second.settle();
  assert.deepEqual(await second.said(), ["C1 [EVENT:late.json:one-shot:2026-01-02T06:00:00Z] tea"]);
  assert.deepEqual(await second.ledger(), ["events/old.json missed", "events/late.json ran"]);
  const [told] = await second.heard(otherChat);
  assert.match(told ?? "", /^\[EVENT:old\.json:failed\] It was due at 2026-01-01T02:00:00\.000Z, 28 hours ago/);
  assert.deepEqual(await stage.names(), ["failed"]);
  assert.deepEqual(await stage.names("events/failed"), ["old.json", "old.json.reason.txt"]);
  assert.match(await stage.read("events/failed/old.json.reason.txt"), /Write it anew with another time/);
  await second.end();
});

test("an immediate file that has lain there for longer than the limit is reported, not run", async (context) => {
  // Its change time is the system's: the clock of the test is days ahead of it.
  const stage = await openEventStage(context, Date.now() + 3 * 24 * hourMs);
  await stage.write("stale.json", immediate);
  const life = await stage.begin();
  await life.settle();
  assert.deepEqual(await life.said(), []);
  assert.deepEqual(await life.ledger(), ["events/stale.json missed"]);
  assert.deepEqual(await stage.names("events/failed"), ["stale.json", "stale.json.reason.txt"]);
  await life.end();
});

test("an event waits for its chat's adapter, and what the chat does not take is not lost silently", async (context) => {
  const stage = await openEventStage(context);
  stage.running.clear();
  await stage.write("build.json", immediate);
  const life = await stage.begin();
  await life.settle();
  assert.deepEqual([await life.said(), await stage.names()], [[], ["build.json"]]);
  stage.running.add("slack");
  await stage.clock.advance(60_000);
  await life.settle();
  assert.equal((await life.said()).length, 1);
  stage.refusals.set("C2", "U1 is not answered there");
  await stage.write("refused.json", { ...immediate, channelId: "slack/C2" });
  await life.settle();
  assert.equal((await life.said()).length, 1);
  assert.match(await stage.read("events/failed/refused.json.reason.txt"), /does not take it: U1 is not answered there/);
  assert.match((await life.heard())[0] ?? "", /^\[EVENT:refused\.json:failed\]/);
  await life.end();
});

test("files in a chat's own folder may speak in that chat only, and the same name elsewhere is another event", async (context) => {
  const stage = await openEventStage(context);
  await stage.write("x.json", immediate);
  await stage.write("x.json", { ...immediate, text: "mine" }, ownFolder);
  await stage.write("y.json", { ...immediate, channelId: "slack/C2" }, ownFolder);
  const life = await stage.begin();
  await life.settle();
  assert.deepEqual((await life.said()).sort(), [
    "C1 [EVENT:x.json:immediate:immediate] look at the build",
    "C1 [EVENT:x.json:immediate:immediate] mine",
  ]);
  assert.match(await stage.read(`${ownFolder}/failed/y.json.reason.txt`), /may not speak in slack\/C2/);
  assert.equal((await life.heard()).length, 1);
  assert.deepEqual(await life.heard(otherChat), [], "the chat that is not theirs hears nothing");
  await life.end();
});

test("rights count when the time comes: what may not speak there any more fails, and a schedule only skips", async (context) => {
  const stage = await openEventStage(context);
  await stage.write("tea.json", oneShot);
  await stage.write("plan.json", { ...periodic, schedule: "0 2 * * *" });
  const life = await stage.begin();
  await life.settle();
  stage.closed.add("C1");
  await stage.clock.advance(2 * hourMs);
  await life.settle();
  assert.deepEqual(await life.said(), []);
  assert.deepEqual((await life.ledger()).sort(), ["events/plan.json skipped", "events/tea.json skipped"]);
  assert.deepEqual(await stage.names(), ["failed", "plan.json"]);
  stage.closed.clear();
  await stage.clock.advance(24 * hourMs);
  await life.settle();
  assert.deepEqual(await life.said(), ["C1 [EVENT:plan.json:periodic:0 2 * * *] plan"]);
  await life.end();
});

test("a clock that is turned back takes periodic events with it", async (context) => {
  const stage = await openEventStage(context, start + 30 * 24 * hourMs);
  await stage.write("plan.json", periodic);
  const life = await stage.begin();
  await life.settle();
  await life.events.handler.clockTurnedBack?.(start);
  const [item] = await life.store.due.list("event");
  assert.equal(item?.dueAt, start + 9 * hourMs);
  await life.end();
});

test("times that a clock ahead of its time took for missed come all the same", async (context) => {
  const stage = await openEventStage(context, start);
  await stage.write("plan.json", periodic);
  const life = await stage.begin();
  await life.settle();
  const [item] = await life.store.due.list("event");
  assert.equal(item?.dueAt, start + 9 * hourMs);
  const reason = "mom did not run";
  const missed = [1, 2, 3].map((day) => ({ dueAt: start + (9 + 24 * day) * hourMs, reason }));
  const next = { dueAt: start + 365 * 24 * hourMs };
  await life.store.due.settle(item, { state: "missed", reason, missed, next });
  await life.events.handler.clockTurnedBack?.(start);
  for (let day = 0; day < 3; day++) {
    await stage.clock.advance(24 * hourMs);
    await life.settle();
  }
  assert.equal((await life.said()).length, 3);
  await life.end();
});

const points: DueCrash[] = (["put", "settle", "remove"] as const).flatMap((call) =>
  (["before", "after"] as const).map((when) => ({ call, when })),
);
for (const crash of points) {
  test(`a crash ${crash.when} ${crash.call} loses nothing and doubles nothing`, async (context) => {
    const stage = await openEventStage(context);
    await stage.write("now.json", immediate);
    const doomed = await stage.begin(crash);
    await doomed.settle();
    await doomed.end();
    const second = await stage.begin();
    await second.settle();
    await second.settle();
    assert.equal((await second.said()).length, 1);
    assert.deepEqual(await stage.names(), []);
    assert.deepEqual(await second.store.due.list("event"), []);
    await second.end();
  });

  test(`a crash ${crash.when} ${crash.call} leaves a bad file in failed/, told once`, async (context) => {
    const stage = await openEventStage(context);
    await stage.write("bad.json", { ...oneShot, at: "2025-01-01T00:00:00Z" });
    const doomed = await stage.begin(crash);
    await doomed.settle();
    await doomed.end();
    const second = await stage.begin();
    await second.settle();
    await second.settle();
    assert.deepEqual(await second.said(), []);
    assert.equal((await second.heard()).length, 1);
    assert.deepEqual(await second.ledger(), ["events/bad.json missed"]);
    assert.deepEqual(await stage.names(), ["failed"]);
    assert.deepEqual(await stage.names("events/failed"), ["bad.json", "bad.json.reason.txt"]);
    await second.end();
  });

  test(`a crash ${crash.when} ${crash.call} of a periodic event runs each time once`, async (context) => {
    const stage = await openEventStage(context);
    await stage.write("plan.json", periodic);
    const first = await stage.begin(crash.call === "put" ? crash : undefined);
    await first.settle();
    await first.end();
    await stage.clock.advance(9 * hourMs);
    const doomed = await stage.begin(crash.call === "settle" ? crash : undefined);
    await doomed.settle();
    await doomed.end();
    const last = await stage.begin();
    await last.settle();
    await stage.clock.advance(24 * hourMs);
    await last.settle();
    // Where it was not on the clock before the first time came, nobody knew of that time.
    assert.equal((await last.said()).length, crash.call === "put" && crash.when === "before" ? 1 : 2);
    await last.end();
  });
}

test("a done file that was replaced before it could be removed is the new event, not the old one", async (context) => {
  const stage = await openEventStage(context);
  await stage.write("now.json", immediate);
  const doomed = await stage.begin({ call: "settle", when: "after" });
  await doomed.settle();
  await doomed.end();
  await stage.write("now.json", { ...immediate, text: "another" });
  const second = await stage.begin();
  await second.settle();
  await stage.clock.advance(5);
  await second.settle();
  assert.deepEqual(
    (await second.said()).map((text) => text.split("] ")[1]),
    ["look at the build", "another"],
  );
  await second.end();
});
