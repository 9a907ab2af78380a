/** The files of a session's lives on disk: whose they are, foreign ones, traps that a tool can lay, and half-done switches. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { lstat, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { silentLog } from "../../test/fakes/log.ts";
import { newEntryId } from "../base/ids.ts";
import type { SessionId, SessionKey, TurnId } from "../contracts/ids.ts";
import type { SessionRoute } from "../contracts/session.ts";
import type { Store } from "../contracts/store.ts";
import { buildLayout } from "./layout.ts";
import { openStore } from "./open-store.ts";

const channel = { adapter: "slack", channelId: "C1" };
const toRoute = (name: "main" | "dm"): SessionRoute => ({
  sessionKey: `agent:main:${name}` as SessionKey,
  type: name,
  agentId: "main",
  channel,
});
const main = toRoute("main");
const dm = toRoute("dm");

let dataDir: string;
let folder: string;
let store: Store;
let count = 0;

async function open(): Promise<void> {
  const layout = buildLayout(dataDir);
  const clock = createFakeClock();
  store = await openStore({ layout, clock, log: silentLog, role: "owner", routesOf: () => [main, dm] });
}

/** A new process; `change` is what happened to the files meanwhile. */
async function reopen(change?: () => Promise<void>): Promise<void> {
  await store.close();
  await change?.();
  await open();
}

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "mom-lives-"));
  folder = buildLayout(dataDir).channelDir(channel);
  await open();
});
afterEach(async () => {
  await store.close();
  await rm(dataDir, { recursive: true, force: true });
});

async function say(route: SessionRoute, text: string): Promise<void> {
  const message = {
    id: `m${++count}`,
    channelId: channel.channelId,
    timestamp: "2026-01-01T00:00:00.000Z",
    sender: { id: "U1", username: "ann", isBot: false },
    text,
    attachments: [],
    isMention: true,
  };
  const verdict = { type: "turn", kind: "agent", lane: route.sessionKey, route } as const;
  await store.inbox.accept({ adapter: channel.adapter, message, verdict });
  const turn = await store.turns.claim(1000, [channel.adapter]);
  assert.ok(turn);
  try {
    await store.turns.record(turn, {
      body: { type: "input", seenSeq: 1 },
      entries: [
        {
          type: "message",
          id: newEntryId(),
          timestamp: message.timestamp,
          message: { role: "user", content: text, timestamp: 0 },
        },
      ],
    });
  } finally {
    await store.turns.finish(turn, { outcome: "done", deliveries: [] });
  }
}

async function heard(route: SessionRoute): Promise<unknown[]> {
  const { entries } = await store.transcripts.context(route.sessionKey, 99);
  return entries.map((entry) => (entry.type === "message" ? entry.message.content : entry.type));
}
const lifeOf = async (route: SessionRoute) => (await store.sessions.get(route.sessionKey))?.sessionId as SessionId;
const reset = (route: SessionRoute, to?: SessionId) =>
  store.sessions.reset(route.sessionKey, `t${++count}` as TurnId, to);
const names = async () => (await readdir(folder)).filter((name) => name !== "log.jsonl").sort();

/** As a coding agent writes it: no session key. */
async function writeForeign(path: string, id: string, ...texts: string[]): Promise<void> {
  let parentId: string | null = null;
  const lines: object[] = [
    { type: "session", version: 3, id, timestamp: "2025-05-05T00:00:00.000Z", cwd: "/home/ann" },
  ];
  for (const text of texts) {
    const entry: object = {
      type: "message",
      id: `${id}-${text}`,
      parentId,
      timestamp: "2025-05-05T00:00:00.000Z",
      message: { role: "user", content: [{ type: "text", text }], timestamp: 0 },
    };
    lines.push(entry);
    parentId = `${id}-${text}`;
  }
  await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

test("a session that another program has written is listed, taken up, and goes on as ours", async () => {
  await say(main, "ours");
  await writeForeign(join(folder, "2025-05-05_session.jsonl"), "foreign", "theirs", "more");
  const found = (await store.transcripts.lives(main.sessionKey)).find(({ sessionId }) => sessionId === "foreign");
  assert.deepEqual([found?.opening, found?.isPresent, found?.startedAt], ["theirs", false, Date.UTC(2025, 4, 5)]);
  await reset(main, "foreign" as SessionId);
  assert.equal((await heard(main)).length, 2);
  await say(main, "mine now");
  assert.equal((await heard(main)).at(-1), "mine now");
  const [first] = (await readFile(join(folder, "context.jsonl"), "utf8")).split("\n");
  const header = JSON.parse(first ?? "");
  assert.deepEqual([header.id, header.sessionKey, header.cwd], ["foreign", main.sessionKey, "/home/ann"]);
  await say(dm, "another session opens in the same chat");
  await say(main, "still mine");
  assert.deepEqual((await heard(main)).slice(2), ["mine now", "still mine"]);
  assert.deepEqual(await heard(dm), ["another session opens in the same chat"]);
  const whole = await store.transcripts.whole(main.sessionKey);
  assert.equal(whole?.path, join(folder, "context.jsonl"));
});

test("lives of one session are not lives of another, nor are foreign files beside another's", async () => {
  await say(main, "main one");
  await say(dm, "dm one");
  await reset(main);
  await reset(dm);
  await say(main, "main two");
  await say(dm, "dm two");
  await writeForeign(join(folder, "other.jsonl"), "foreign", "x");
  const openings = async (route: SessionRoute) =>
    (await store.transcripts.lives(route.sessionKey)).map(({ opening }) => opening).sort();
  assert.deepEqual(await openings(main), ["main one", "main two", "x"]);
  assert.deepEqual(await openings(dm), ["dm one", "dm two"]);
  await assert.rejects(reset(dm, "foreign" as SessionId), { code: "LIFE_UNKNOWN" });
});

test("a switch that ended between its two renames is completed, also when another session came first", async () => {
  for (const isOvertaken of [false, true]) {
    await say(main, "first");
    const first = await lifeOf(main);
    await reset(main);
    await say(main, "second");
    const second = await lifeOf(main);
    await reset(main, first);
    await reopen(() => rename(join(folder, "context.jsonl"), join(folder, `context-${second}.jsonl`)));
    if (isOvertaken) await say(dm, "in between");
    assert.deepEqual(await heard(main), ["first"], "readable before it is completed");
    await say(main, "third");
    assert.deepEqual(await heard(main), ["first", "third"]);
    await reopen();
    assert.deepEqual(await heard(main), ["first", "third"]);
    assert.deepEqual(await heard(dm), isOvertaken ? ["in between"] : []);
    assert.ok((await store.transcripts.lives(main.sessionKey)).some((life) => life.sessionId === second));
    await reset(main);
  }
});

test("reading moves nothing", async () => {
  await say(main, "first");
  const first = await lifeOf(main);
  await reset(main);
  const before = await names();
  assert.deepEqual(await heard(main), []);
  assert.equal(await store.transcripts.whole(main.sessionKey), undefined);
  assert.equal((await store.transcripts.lives(main.sessionKey)).length, 1);
  assert.deepEqual(await names(), before);
  await say(main, "second");
  assert.deepEqual(await names(), [`context-${first}.jsonl`, "context.jsonl"]);
});

test("a session in a folder of its own stays there, whatever becomes of the chat's own file", async () => {
  await say(main, "main");
  await say(dm, "first dm");
  const first = await lifeOf(dm);
  await reset(dm);
  await say(dm, "second dm");
  await reset(dm, first);
  const own = join(folder, "sessions", (await readdir(join(folder, "sessions")))[0] ?? "");
  await reopen(async () => {
    await unlink(join(own, "context.jsonl"));
    await unlink(join(folder, "context.jsonl"));
  });
  await say(dm, "goes on");
  assert.deepEqual(await heard(dm), ["first dm", "goes on"]);
  assert.deepEqual(await names(), ["sessions"]);
});

test("what a crash left of a fork is not taken for a life, and the next try replaces it", async () => {
  await say(main, "one");
  const upTo = (await store.transcripts.whole(main.sessionKey))?.leaf;
  assert.ok(upTo);
  const by = "t-fork" as TurnId;
  const id = await store.transcripts.fork(main.sessionKey, upTo, by);
  const path = join(folder, `context-${id}.jsonl`);
  const bytes = await readFile(path);
  await unlink(path);
  await writeFile(join(folder, `.context-${id}.jsonl.part`), bytes.subarray(0, 20));
  assert.equal((await store.transcripts.lives(main.sessionKey)).length, 1);
  assert.equal(await store.transcripts.fork(main.sessionKey, upTo, by), id);
  assert.deepEqual(await readFile(path), bytes);
  assert.deepEqual(await names(), [`context-${id}.jsonl`, "context.jsonl"]);
});

test("links, pipes and folders in the place of a transcript are set aside, never followed, and listed by nobody", async () => {
  await say(main, "one");
  const secret = join(dataDir, "secret.jsonl");
  await writeForeign(secret, "secret", "the key");
  await symlink(secret, join(folder, "context-secret.jsonl"));
  execFileSync("mkfifo", [join(folder, "pipe.jsonl")]);
  await mkdir(join(folder, "folder.jsonl"));
  assert.equal((await store.transcripts.lives(main.sessionKey)).length, 1);
  await assert.rejects(reset(main, "secret" as SessionId), { code: "LIFE_UNKNOWN" });
  for (const trap of [
    () => symlink(secret, join(folder, "context.jsonl")),
    async () => void execFileSync("mkfifo", [join(folder, "context.jsonl")]),
    () => mkdir(join(folder, "context.jsonl")),
  ]) {
    await rm(join(folder, "context.jsonl"), { recursive: true });
    await trap();
    await reopen();
    assert.deepEqual(await heard(main), []);
    await say(main, "two");
    assert.deepEqual(await heard(main), ["two"]);
  }
  assert.ok((await lstat(join(folder, "context.jsonl"))).isFile(), "begun again as a plain file");
  assert.match(await readFile(secret, "utf8"), /the key/);
});

test("a folder that leads out of the workspace is not written to", async () => {
  const outside = join(dataDir, "outside");
  await mkdir(outside);
  await mkdir(join(folder, ".."), { recursive: true });
  await symlink(outside, folder);
  await say(main, "one");
  assert.deepEqual(await heard(main), ["one"]);
  assert.ok((await lstat(folder)).isDirectory());
  assert.deepEqual(await readdir(outside), []);
});

test("a file that is all noise is kept beside the life that takes its place", async () => {
  await say(main, "first");
  const first = await lifeOf(main);
  await reset(main);
  await say(main, "second");
  await reset(main, first);
  await reopen(() => writeFile(join(folder, "context.jsonl"), "no transcript at all\n"));
  await say(main, "third");
  assert.deepEqual(await heard(main), ["first", "third"]);
  assert.equal(await readFile(join(folder, "context-unknown.jsonl"), "utf8"), "no transcript at all\n");
});

test("entries of types that mom does not know keep the way to what is before them", async () => {
  await say(main, "one");
  const leaf = (await store.transcripts.whole(main.sessionKey))?.leaf;
  const line = { type: "their_own", id: "zz zz", parentId: leaf, timestamp: "2026-01-01T00:00:00.000Z" };
  const path = join(folder, "context.jsonl");
  await writeFile(path, `${await readFile(path, "utf8")}${JSON.stringify(line)}\n`);
  await reopen();
  await say(main, "two");
  assert.deepEqual(await heard(main), ["one", "their_own", "two"]);
});
