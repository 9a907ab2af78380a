/** A database that is lost: the conversation goes on in its present life, and what was forbidden stays forbidden. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { silentLog } from "../../test/fakes/log.ts";
import { newEntryId } from "../base/ids.ts";
import type { SessionKey, TurnId } from "../contracts/ids.ts";
import type { SessionRoute } from "../contracts/session.ts";
import type { Store } from "../contracts/store.ts";
import { createTaint } from "../tools/approvals/taint.ts";
import { buildLayout } from "./layout.ts";
import { openStore } from "./open-store.ts";

const route: SessionRoute = {
  sessionKey: "agent:main:main" as SessionKey,
  type: "main",
  agentId: "main",
  channel: { adapter: "slack", channelId: "C1" },
};
/** An agent whose name is that of a kind of session, in a chat whose id had to be escaped. */
const group: SessionRoute = {
  ...route,
  sessionKey: "agent:group:group:slack:C%3A1" as SessionKey,
  type: "group",
  agentId: "group",
};
const order = { agentId: "main", text: "no mail", denyTools: ["mail"], denyRecipients: [], by: "slack:U1" };
const open = (dataDir: string, role: "owner" | "guest" = "owner") =>
  openStore({
    layout: buildLayout(dataDir),
    clock: createFakeClock(),
    log: silentLog,
    role,
    routesOf: () => [route, group],
  });

let dataDir: string;
let store: Store;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "mom-rebuild-"));
  store = await open(dataDir);
});
afterEach(async () => {
  await store.close();
  await rm(dataDir, { recursive: true, force: true });
});

async function say(id: string, to = route): Promise<void> {
  const timestamp = "2026-01-01T00:00:00.000Z";
  const message = {
    id,
    channelId: "C1",
    timestamp,
    sender: { id: "U1", username: "ann", isBot: false },
    text: id,
    attachments: [],
    isMention: true,
  };
  await store.inbox.accept({
    adapter: "slack",
    message,
    verdict: { type: "turn", kind: "agent", lane: "a", route: to },
  });
  const turn = await store.turns.claim(1000, ["slack"]);
  assert.ok(turn);
  const entry = { type: "message", id: newEntryId(), timestamp } as const;
  const entries = [{ ...entry, message: { role: "user" as const, content: id, timestamp: 0 } }];
  await store.turns.record(turn, { body: { type: "input", seenSeq: 1 }, entries });
  await store.turns.finish(turn, { outcome: "done", deliveries: [] });
}
async function heard(): Promise<unknown[]> {
  const { entries } = await store.transcripts.context(route.sessionKey, 9);
  return entries.map((entry) => (entry.type === "message" ? entry.message.content : entry.type));
}

/** Bytes in the middle of the file, where neither its head nor its schema is. */
async function damage(marker: string): Promise<void> {
  const { databasePath } = buildLayout(dataDir);
  const bytes = await readFile(databasePath);
  const at = bytes.indexOf(marker);
  assert.ok(at > 8192, "the marker is on a page of its own");
  const page = Math.floor(at / 4096) * 4096;
  bytes.fill(0xa5, page, page + 4096);
  await writeFile(databasePath, bytes);
}

test("the life that was taken up last is the present one again, and the others are kept", async () => {
  await say("first");
  const first = (await store.sessions.get(route.sessionKey))?.sessionId;
  await store.sessions.reset(route.sessionKey, "t1" as TurnId);
  await say("second");
  await store.sessions.reset(route.sessionKey, "t2" as TurnId, first);
  await say("first goes on");
  await store.close();
  await writeFile(buildLayout(dataDir).databasePath, "no database".repeat(1000));
  store = await open(dataDir);
  assert.deepEqual(await heard(), ["first", "first goes on"]);
  await say("after");
  assert.deepEqual(await heard(), ["first", "first goes on", "after"]);
  const lives = await store.transcripts.lives(route.sessionKey);
  assert.deepEqual(lives.map(({ opening, isPresent }) => [opening, isPresent]).sort(), [
    ["first", true],
    ["second", false],
  ]);
  const codes = store.findings.map(({ code }) => code);
  assert.ok(codes.includes("STANDING_ORDERS_LOST"), "what could not be read is said");
});

test("of a conversation that was there before nobody knows where its text came from; of one after it everybody does", async () => {
  const taintOfPresent = async () => {
    const session = await store.sessions.get(route.sessionKey);
    assert.ok(session);
    return createTaint({ kv: store.kv }).taintOf(session, true);
  };
  await say("first");
  const first = (await store.sessions.get(route.sessionKey))?.sessionId;
  await store.sessions.reset(route.sessionKey, "t1" as TurnId);
  await say("second");
  assert.equal(await taintOfPresent(), undefined);
  await store.close();
  await writeFile(buildLayout(dataDir).databasePath, "no database".repeat(1000));
  store = await open(dataDir);
  assert.equal(await taintOfPresent(), "unknown (database was rebuilt)");
  await store.sessions.reset(route.sessionKey, "t2" as TurnId, first);
  assert.equal(await taintOfPresent(), "unknown (database was rebuilt)", "an earlier life, taken up again");
  await store.sessions.reset(route.sessionKey, "t3" as TurnId);
  assert.equal(await taintOfPresent(), undefined, "a new life");
});

test("a file that names no session is not mixed up with that of the next one who speaks there", async () => {
  await say("ours");
  await store.close();
  const layout = buildLayout(dataDir);
  const path = join(layout.channelDir(route.channel), "context.jsonl");
  await writeFile(path, (await readFile(path, "utf8")).replace(`"sessionKey":"${route.sessionKey}",`, ""));
  await writeFile(layout.databasePath, "no database".repeat(1000));
  store = await open(dataDir);
  assert.deepEqual(await heard(), ["ours"]);
  const other = { ...route, sessionKey: "agent:main:dm" as SessionKey };
  await say("theirs", other);
  const whole = await store.transcripts.whole(route.sessionKey);
  assert.equal(whole?.entries.length, 1);
  assert.match(JSON.stringify(whole?.entries), /ours/);
  await say("ours again");
  assert.deepEqual(await heard(), ["ours", "ours again"]);
});

test("the topics of a group are known again, and nothing that only looks like one", async () => {
  const topic = "agent:group:topic:slack:C%3A1:";
  const keys = [`${topic}7`, `${topic}a%3Ab%25`, topic, `${topic}a:b`, `${topic}a#beside`, `${topic}%41`];
  keys.push("agent:topic:group:slack:C%3A1:7", "agent:main:topic:slack:C%3A1:7", "agent:group:topic:slack:C%3A12:7");
  keys.push(`${topic}${"x".repeat(2000)}`);
  for (const [n, key] of keys.entries()) {
    await say(`m${n}`, { ...group, sessionKey: key as SessionKey, type: "main" });
  }
  await store.close();
  await writeFile(buildLayout(dataDir).databasePath, "no database".repeat(1000));
  store = await open(dataDir);
  const restored = await store.sessions.list();
  assert.deepEqual(restored.map(({ sessionKey, type, agentId }) => [sessionKey, type, agentId]).sort(), [
    [`${topic}7`, "topic", "group"],
    [`${topic}a%3Ab%25`, "topic", "group"],
  ]);
  const { entries } = await store.transcripts.context(`${topic}7` as SessionKey, 9);
  assert.equal(entries.length, 1);
});

test("standing orders are read from a database that is damaged elsewhere", async () => {
  await store.standingOrders.add(order, "t1" as TurnId);
  await store.standingOrders.add({ ...order, text: "withdrawn" }, "t2" as TurnId);
  await store.standingOrders.remove("main", "r2");
  await store.kv.set("scope", "marker-of-a-page", "x");
  await store.close();
  await damage("marker-of-a-page");
  store = await open(dataDir);
  const codes = store.findings.map(({ code }) => code);
  assert.ok(codes.includes("DATABASE_REBUILT"));
  assert.ok(!codes.includes("STANDING_ORDERS_LOST"));
  assert.deepEqual(
    (await store.standingOrders.list("main")).map(({ id, text }) => [id, text]),
    [["r1", "no mail"]],
  );
  assert.equal((await store.standingOrders.add(order, "t3" as TurnId)).id, "r3");
});

test("reminders and jobs are read from a database that is damaged elsewhere, and what has run does not run again", async () => {
  const put = (source: "cron" | "subagent", id: string, dueAt: number) =>
    store.due.put({ source, id, dueAt, data: { text: id } });
  const item = await put("cron", "job", 5);
  await store.due.settle(item, { state: "ran", next: { dueAt: 9 } });
  await put("subagent", "child", 5);
  const kept = await store.due.get("cron", "job");
  const ledger = await store.due.ledger({ limit: 9 });
  assert.equal(ledger.length, 1);
  await store.kv.set("scope", "marker-of-a-page", "x");
  await store.close();
  await damage("marker-of-a-page");
  store = await open(dataDir);
  const codes = store.findings.map(({ code }) => code);
  assert.ok(codes.includes("DATABASE_REBUILT"));
  assert.ok(!codes.includes("JOBS_LOST"));
  assert.deepEqual(await store.due.list("cron"), [kept]);
  assert.deepEqual(await store.due.list("subagent"), []);
  assert.deepEqual(await store.due.ledger({ limit: 9 }), ledger);
});

test("jobs are not taken up again without knowing which of their times have run", async () => {
  await store.due.put({ source: "cron", id: "job", dueAt: 5, data: null });
  const other = await store.due.put({ source: "cron", id: "other", dueAt: 5, data: null });
  await store.due.settle(other, { state: "ran", reason: "marker-of-a-page", next: null });
  await store.close();
  await damage("marker-of-a-page");
  store = await open(dataDir);
  assert.ok(store.findings.some(({ code, level }) => code === "JOBS_LOST" && level === "error"));
  assert.deepEqual(await store.due.list("cron"), []);
});

test("an order that another process gives is in force at once", async () => {
  assert.deepEqual(await store.standingOrders.list("main"), []);
  const guest = await open(dataDir, "guest");
  try {
    await guest.standingOrders.add(order, "t1" as TurnId);
    assert.equal((await store.standingOrders.list("main")).length, 1);
    await guest.standingOrders.remove("main", "r1");
    assert.equal((await store.standingOrders.list("main")).length, 0);
  } finally {
    await guest.close();
  }
});
