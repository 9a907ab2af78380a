/** Rows of the durable clock that a hand or a disk has spoiled, of every source: whatever lies there, other reminders come. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { createShiftedClock } from "../fakes/shifted-clock.ts";
import { createWorld, say, waitFor } from "./world.ts";

const channel = { adapter: "fake", channelId: "D1" };
const home = { channel, askedBy: { id: "U1", username: "ann" } };
const job = {
  id: "bad",
  name: "bad",
  enabled: true,
  createdAtMs: 1,
  updatedAtMs: 1,
  schedule: { kind: "cron", expr: "0 9 * * *", tz: "UTC" },
  sessionTarget: "main",
  wakeMode: "next-heartbeat",
  payload: { kind: "systemEvent", text: "x" },
  home,
  state: {},
};
const run = {
  runId: "bad",
  sessionKey: "agent:main:subagent:bad",
  requester: "agent:main:main",
  agentId: "main",
  task: "x",
  state: "running",
  createdAt: 1,
  cleanup: "keep",
};
const principal = {
  channel,
  sender: home.askedBy,
  sessionKey: "agent:main:main",
  sessionType: "main",
  agentId: "main",
};
const everywhere = ['{"a":', "", "null", "[]", "7", '"text"', "{}"];
const spoiled: Record<string, string[]> = {
  cron: [
    { schedule: null, payload: null, home: null, state: null },
    { ...job, state: null },
    { ...job, home: {} },
    { ...job, home: { channel: null, askedBy: null } },
    { ...job, payload: { kind: "agentTurn" } },
    { ...job, schedule: { kind: "never" } },
    { ...job, schedule: { kind: "cron", expr: 5, tz: {} } },
    { ...job, schedule: { kind: "at", atMs: "soon" } },
    { ...job, state: { runningAtMs: 5 }, run: { dueAt: 1 } },
    { ...job, state: { runningAtMs: "x", lastRunAtMs: {} }, run: null, answers: "none" },
    { ...job, state: { runningAtMs: 5 }, run: { dueAt: 1, channel: { adapter: 1, channelId: null }, messageId: {} } },
  ].map((data) => JSON.stringify(data)),
  event: [{ hash: 1 }, { hash: "x", event: { type: "periodic" } }].map((data) => JSON.stringify(data)),
  heartbeat: [{ plan: 5, shown: 7, skips: null, failures: "many" }].map((data) => JSON.stringify(data)),
  subagent: [
    { run: { runId: "bad", state: "running" }, stop: {} },
    { run: { runId: "bad", state: "waiting" } },
    { run, principal: { channel: null }, stop: {} },
    { run: { ...run, sessionKey: 5 }, principal, stop: {} },
    { run: { ...run, sessionKey: "nonsense" }, principal, stop: {}, chat: 5 },
    { run: { ...run, state: "done", createdAt: "x" }, principal },
  ].map((data) => JSON.stringify(data)),
};

test("spoiled rows of every source keep no reminder from coming, nor the lists from being read", {
  timeout: 60_000,
}, async (t) => {
  const world = await createWorld({ config: { models: { default: "mom/offline" } } });
  t.after(() => world.close());
  const hears = (words: RegExp, from = 0) =>
    world.chat.until(() => world.chat.posts.slice(from).some(({ text }) => words.test(text)));
  const clock = createShiftedClock(Date.UTC(2026, 10, 20, 8));
  const first = await world.start({ clock });
  say(world.chat, "remind me in 2 minutes to drink tea");
  await world.chat.until(() => world.chat.posts.length === 1);
  const asked = world.chat.posts.length;
  await first.stop();

  const db = new DatabaseSync(join(world.dataDir, "state", "mom.db"));
  const add = db.prepare(
    "INSERT OR REPLACE INTO due (source, id, due_at, data, created_at, updated_at) VALUES (?, ?, ?, ?, 1, 1)",
  );
  for (const [source, rows] of Object.entries(spoiled)) {
    for (const [n, data] of [...everywhere, ...rows].entries()) {
      // At rest, due before the reminder, and due in a while.
      for (const dueAt of [null, 1, clock.now() + 365 * 24 * 3600_000]) {
        const isMain = source === "heartbeat" && data === rows[0] && dueAt === null;
        add.run(source, isMain ? "main" : `bad-${n}-${dueAt}`, dueAt, data);
      }
    }
  }
  db.close();

  clock.shift(3 * 60_000);
  const second = await world.start({ clock });
  await hears(/drink tea/, asked);
  // What cannot be read is ended, not asked about for ever.
  for (const source of ["cron", "subagent", "event"] as const) {
    const left = async () =>
      (await second.store.due.list(source)).filter(({ id, dueAt }) => dueAt === 1 && /^bad-[0-6]-/.test(id));
    await waitFor(async () => (await left()).length === 0);
  }
  say(world.chat, "remind me in 2 minutes to water the plants");
  await hears(/water the plants/);
  say(world.chat, "/subagents");
  await hears(/subagent/i);
  await second.stop();
  const before = world.chat.posts.length;
  clock.shift(3 * 60_000);
  await world.start({ clock });
  await hears(/water the plants/, before);
  assert.doesNotMatch(world.logText(), /could not be started|The clock cannot be read/);
});
