/** A database of an earlier schema, with rows in it, is opened by this one: everything is found. */
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, test } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { silentLog } from "../../test/fakes/log.ts";
import type { CronJob } from "../contracts/cron.ts";
import type { SessionKey, TurnId } from "../contracts/ids.ts";
import type { SessionRoute } from "../contracts/session.ts";
import { openDatabase } from "./database.ts";
import { buildLayout } from "./layout.ts";
import { migrations } from "./migrations.ts";
import { openStore } from "./open-store.ts";

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "mom-migrate-"));
  await mkdir(join(dataDir, "state"));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const sessionKey = "agent:main:main" as SessionKey;
const route: SessionRoute = {
  sessionKey,
  type: "main",
  agentId: "main",
  channel: { adapter: "slack", channelId: "C1" },
};
const message = {
  id: "m1",
  channelId: "C1",
  timestamp: "2026-01-01T00:00:00.000Z",
  sender: { id: "U1", username: "ann", isBot: false },
  text: "hi",
  attachments: [],
  isMention: true,
};
const entry = {
  type: "message",
  id: "00000001",
  timestamp: "2026-01-01T00:00:00.000Z",
  message: { role: "user", content: "hi", timestamp: 0 },
};

/** The reminder of the first schema, as it is after the last. */
const reminderAsJob: CronJob = {
  id: "s1",
  name: "tea",
  enabled: true,
  createdAtMs: 1,
  updatedAtMs: 1,
  schedule: { kind: "at", atMs: 99 },
  sessionTarget: "main",
  wakeMode: "now",
  payload: { kind: "systemEvent", text: "tea" },
  home: { channel: { adapter: "slack", channelId: "C1" }, askedBy: { id: "U1", username: "ann" } },
  state: { nextRunAtMs: 99 },
};

/** What the first release left behind: a turn that was cut off after its first step, usage, a session, a reminder. */
function createSchema1(path: string): void {
  const db = new DatabaseSync(path);
  db.exec(`PRAGMA journal_mode = WAL; ${migrations[0]}; PRAGMA user_version = 1`);
  const insert = (sql: string, ...values: (string | number)[]) => db.prepare(sql).run(...values);
  insert("INSERT INTO inbox VALUES (1, 'slack', 'C1', 'm1', 5, 'turn', NULL, ?)", JSON.stringify(message));
  insert(
    `INSERT INTO turns (id, seq, kind, lane, state, session_key, route, attempt, lease_owner, lease_until, created_at,
     updated_at) VALUES ('t1', 1, 'agent', 'a', 'running', ?, ?, 1, 'gone', 9, 5, 5)`,
    sessionKey,
    JSON.stringify(route),
  );
  insert(
    "INSERT INTO steps VALUES ('t1', 0, ?, ?)",
    JSON.stringify({ type: "input", seenSeq: 1 }),
    JSON.stringify([entry]),
  );
  insert(
    `INSERT INTO sessions (session_key, session_id, type, agent_id, adapter, channel_id, last_adapter, last_channel_id,
     model, label, total_tokens, created_at, updated_at)
     VALUES (?, 'life-1', 'main', 'main', 'slack', 'C1', 'slack', 'C2', 'lab/m', 'mine', 7, 3, 4)`,
    sessionKey,
  );
  for (const day of ["2025-12-31", "2026-01-01"])
    insert("INSERT INTO usage VALUES (?, ?, 'main', 'lab/m', 2, 10, 20, 30, 40, 0.5)", day, sessionKey);
  insert("INSERT INTO kv VALUES ('scope', 'key', '1')");
  insert(
    "INSERT INTO outbox (id, adapter, channel_id, body, state, due_at, created_at, updated_at) VALUES ('d1', 'slack', 'C1', '{\"type\":\"text\",\"text\":\"x\"}', 'pending', 0, 1, 1)",
  );
  insert("INSERT INTO schedules VALUES ('s1', 99, 'slack', 'C1', 'tea', '{\"id\":\"U1\",\"username\":\"ann\"}', 1)");
  db.close();
}

test("a database of the first schema is brought up to date with everything in it", async () => {
  const layout = buildLayout(dataDir);
  createSchema1(layout.databasePath);
  const clock = createFakeClock(new Date(2026, 0, 1, 12).getTime());
  const store = await openStore({ layout, clock, log: silentLog, role: "owner", routesOf: () => [route] });
  try {
    const session = await store.sessions.get(sessionKey);
    assert.deepEqual(
      [session?.sessionId, session?.label, session?.totalTokens, session?.model, session?.lastChannel.channelId],
      ["life-1", "mine", 7, "lab/m", "C2"],
    );
    assert.deepEqual(
      [session?.isQuiet, session?.queueMode, session?.chosenModel, session?.authProfile],
      [undefined, undefined, undefined, undefined],
    );
    const days = (await store.usage.totals("day")).map(({ key, calls, cacheWrite, cost }) => [
      key,
      calls,
      cacheWrite,
      cost,
    ]);
    assert.deepEqual(days, [
      ["2025-12-31", 2, 40, 0.5],
      ["2026-01-01", 2, 40, 0.5],
    ]);
    assert.deepEqual(
      (await store.usage.totals("sender")).map(({ key, calls }) => [key, calls]),
      [["", 4]],
    );
    assert.deepEqual(await store.usage.spent({ agentId: "main" }, "month"), { cost: 0.5, tokens: 100 });
    assert.equal(await store.kv.get("scope", "key"), 1);
    assert.deepEqual(await store.due.list("cron"), [
      { source: "cron", id: "s1", dueAt: 99, data: reminderAsJob, createdAt: 1, updatedAt: 1 },
    ]);
    assert.deepEqual(
      (await store.outbox.list({ limit: 9 })).map(({ id }) => id),
      ["d1"],
    );
    assert.deepEqual(await store.standingOrders.list("main"), []);
    const turn = await store.turns.claim(1000, ["slack"]);
    assert.ok(turn);
    assert.deepEqual([turn.id, turn.message.text], ["t1" as TurnId, "hi"]);
    assert.deepEqual(await store.turns.steps(turn), [{ n: 0, body: { type: "input", seenSeq: 1 }, entries: [entry] }]);
    const { entries } = await store.transcripts.context(sessionKey, 9);
    assert.deepEqual(entries, [{ ...entry, parentId: null }], "a step of the old schema is healed too");
  } finally {
    await store.close();
  }
});

test("a database of the second schema gets approvals, and keeps what was forbidden", async () => {
  const layout = buildLayout(dataDir);
  createSchema1(layout.databasePath);
  const db = new DatabaseSync(layout.databasePath);
  db.exec(`${migrations[1]}; PRAGMA user_version = 2`);
  db.exec("INSERT INTO standing_orders VALUES ('main', 1, 't0', 'no mail', '[\"mail\"]', '[]', 'slack:U1', 1, NULL)");
  db.close();
  const clock = createFakeClock();
  const store = await openStore({ layout, clock, log: silentLog, role: "owner", routesOf: () => [route] });
  try {
    assert.deepEqual(
      (await store.standingOrders.list("main")).map(({ id, text }) => [id, text]),
      [["r1", "no mail"]],
    );
    assert.deepEqual(await store.approvals.list({ limit: 9 }), []);
    assert.equal((await store.approvals.addRule("main", { program: "/bin/ls", args: [] }, "cli:ann")).id, "a1");
  } finally {
    await store.close();
  }
});

test("reminders of the fourth schema become jobs that are due at the same time, whatever their text", async () => {
  const layout = buildLayout(dataDir);
  createSchema1(layout.databasePath);
  const db = new DatabaseSync(layout.databasePath);
  db.exec(`${migrations.slice(1, 4).join(";")}; PRAGMA user_version = 4`);
  const add = db.prepare("INSERT INTO schedules VALUES (?, ?, 'slack', 'C1', ?, ?, 5, ?)");
  const text = 'say "1"\n\\ and 🍵 {"a":1}';
  const ann = { id: "U1", username: 'an"n' };
  add.run("s2", 1_900_000_000_123, text, JSON.stringify(ann), "a page");
  add.run("s3", 7, " \n", JSON.stringify(ann), null);
  add.run("s4", 8, `${"x".repeat(70)}`, JSON.stringify(ann), null);
  db.close();
  const clock = createFakeClock();
  const store = await openStore({ layout, clock, log: silentLog, role: "owner", routesOf: () => [route] });
  try {
    const channel = { adapter: "slack", channelId: "C1" };
    const [, second, third, fourth] = (await store.due.list("cron")).map(({ data }) => data as CronJob);
    assert.deepEqual(second, {
      ...reminderAsJob,
      id: "s2",
      name: 'say "1" \\ and 🍵 {"a":1}',
      createdAtMs: 5,
      updatedAtMs: 5,
      schedule: { kind: "at", atMs: 1_900_000_000_123 },
      payload: { kind: "systemEvent", text },
      home: { channel, askedBy: ann, outside: "a page" },
      state: { nextRunAtMs: 1_900_000_000_123 },
    });
    assert.deepEqual([third?.name, third?.payload], ["reminder", { kind: "systemEvent", text: " \n" }]);
    assert.equal(fourth?.name, "x".repeat(60));
    assert.deepEqual(
      (await store.due.due(1_800_000_000_000)).map(({ id }) => id),
      ["s3", "s4", "s1"],
    );
  } finally {
    await store.close();
  }
});

test("a process of the first schema that still runs can book usage on", () => {
  const path = join(dataDir, "mom.db");
  createSchema1(path);
  const db = openDatabase(path);
  try {
    const book = db.prepare(
      `INSERT INTO usage (day, session_key, agent_id, model, calls, input, output, cache_read, cache_write, cost)
       VALUES ('2026-01-01', ?, 'main', 'lab/m', 1, 1, 1, 1, 1, 1) ON CONFLICT DO UPDATE SET calls = calls + 1`,
    );
    book.run(sessionKey);
    assert.equal(db.prepare("SELECT calls FROM usage WHERE day = '2026-01-01'").get()?.["calls"], 3);
  } finally {
    db.close();
  }
});

test("a migration that fails leaves the database as it was", () => {
  const path = join(dataDir, "mom.db");
  createSchema1(path);
  const spoiled = new DatabaseSync(path);
  spoiled.exec("CREATE TABLE standing_orders (x)");
  spoiled.close();
  assert.throws(() => openDatabase(path), { code: "DATABASE_FAILED" });
  const db = new DatabaseSync(path);
  try {
    assert.equal(db.prepare("PRAGMA user_version").get()?.["user_version"], 1);
    assert.equal(db.prepare("SELECT count(*) AS n FROM usage").get()?.["n"], 2);
    const columns = db
      .prepare("PRAGMA table_info(sessions)")
      .all()
      .map((row) => row["name"]);
    assert.ok(!columns.includes("queue_mode"));
  } finally {
    db.close();
  }
});
