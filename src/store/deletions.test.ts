/** Sessions and chats that go, on disk: whose files they are, what programs have put there, and what is left undone. */
import assert from "node:assert/strict";
import { lstat, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { silentLog } from "../../test/fakes/log.ts";
import { createTempFolder } from "../../test/fakes/temp-folder.ts";
import { newEntryId } from "../base/ids.ts";
import type { SessionId, SessionKey, TurnId } from "../contracts/ids.ts";
import type { SessionRoute } from "../contracts/session.ts";
import type { Store } from "../contracts/store.ts";
import type { JsonlFiles } from "./jsonl-files.ts";
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

async function createScene(t: TestContext) {
  const { dir, put } = await createTempFolder(t);
  await put("outside/secret", "text");
  const layout = buildLayout(join(dir, "data"));
  let isBroken = false;
  const wrapFiles = (files: JsonlFiles): JsonlFiles => ({
    ...files,
    exclusively: (path, work) =>
      isBroken ? Promise.reject(new Error("the disk does not answer")) : files.exclusively(path, work),
  });
  const open = (role: "owner" | "guest" = "owner") =>
    openStore({ layout, clock: createFakeClock(), log: silentLog, role, routesOf: () => [main, dm], wrapFiles });
  let store: Store = await open();
  let count = 0;
  t.after(() => store.close());
  const folder = layout.channelDir(channel);
  return {
    folder,
    outside: join(dir, "outside"),
    at: (...parts: string[]) => join(layout.workspaceDir, ...parts),
    open,
    breakFiles(isSo: boolean) {
      isBroken = isSo;
    },
    store: () => store,
    async reopen(change?: () => Promise<void>) {
      await store.close();
      await change?.();
      store = await open();
    },
    async say(route: SessionRoute, content: string) {
      const timestamp = "2026-01-01T00:00:00.000Z";
      const message = {
        id: `m${++count}`,
        channelId: channel.channelId,
        timestamp,
        sender: { id: "U1", username: "ann", isBot: false },
        text: content,
        attachments: [],
        isMention: true,
      };
      const verdict = { type: "turn", kind: "agent", lane: route.sessionKey, route } as const;
      await store.inbox.accept({ adapter: channel.adapter, message, verdict });
      const turn = (await store.turns.claim(1000, [channel.adapter])) ?? assert.fail("no turn");
      const said = { role: "user" as const, content, timestamp: 0 };
      const entry = { type: "message" as const, id: newEntryId(), timestamp, message: said };
      await store.turns.record(turn, { body: { type: "input", seenSeq: 1 }, entries: [entry] });
      await store.turns.finish(turn, { outcome: "done", deliveries: [] });
    },
    reset: (route: SessionRoute, to?: SessionId) => store.sessions.reset(route.sessionKey, `t${++count}` as TurnId, to),
    remove: (route: SessionRoute) => store.sessions.delete(route.sessionKey),
    async heard(route: SessionRoute) {
      const { entries } = await store.transcripts.context(route.sessionKey, 99);
      return entries.map((entry) => (entry.type === "message" ? entry.message.content : entry.type));
    },
    /** Without the log. */
    names: async () => (await readdir(folder)).filter((name) => !name.startsWith("log.jsonl")).sort(),
    async ensureOutside() {
      assert.equal(await readFile(join(dir, "outside/secret"), "utf8"), "text");
      assert.deepEqual(await readdir(join(dir, "outside")), ["secret"]);
    },
  };
}

/** As a coding agent writes it: no session key. */
const foreign = (id: string) => `${JSON.stringify({ type: "session", version: 3, id, cwd: "/home/ann" })}\n`;

test("lives in the chat's folder go with what crashes left of them; other programs' files and the log stay", async (t) => {
  const { say, reset, remove, names, folder, store } = await createScene(t);
  await say(main, "one");
  await reset(main);
  await say(main, "two");
  await say(dm, "beside");
  await store().channels.tail(channel, 1);
  await writeFile(join(folder, "context.jsonl.torn"), "half a li");
  await writeFile(join(folder, ".context.jsonl.part"), "half a co");
  await writeFile(join(folder, "2025_session.jsonl"), foreign("theirs"));
  await writeFile(join(folder, "notes.txt"), "");
  assert.equal(await remove(main), true);
  assert.deepEqual(await names(), ["2025_session.jsonl", "notes.txt", "sessions"]);
  assert.equal((await store().channels.tail(channel, 9)).length, 3);
});

test("a session with a folder of its own goes with that folder, and the chat's first one stays", async (t) => {
  const { say, reset, remove, heard, names, folder } = await createScene(t);
  await say(main, "kept");
  await say(dm, "one");
  await reset(dm);
  await say(dm, "two");
  const [own = ""] = await readdir(join(folder, "sessions"));
  await writeFile(join(folder, "sessions", own, "anything"), "");
  await remove(dm);
  assert.deepEqual(await readdir(join(folder, "sessions")), []);
  assert.deepEqual(await heard(main), ["kept"]);
  assert.deepEqual(await names(), ["context.jsonl", "sessions"]);
});

test("a life of another program's that was taken up is the session's, also before it is written to", async (t) => {
  const { say, reset, remove, names, folder } = await createScene(t);
  await say(main, "one");
  await writeFile(join(folder, "2025_session.jsonl"), foreign("theirs"));
  await writeFile(join(folder, "2026_session.jsonl"), foreign("nobody's"));
  await reset(main, "theirs" as SessionId);
  await remove(main);
  assert.deepEqual(await names(), ["2026_session.jsonl"]);
});

test("a file that claims to be of another session is that one's", async (t) => {
  const { say, remove, names, folder, store } = await createScene(t);
  await say(main, "one");
  const { sessionId } = (await store().sessions.get(main.sessionKey)) ?? assert.fail();
  const claim = { type: "session", version: 3, id: sessionId, sessionKey: dm.sessionKey };
  await writeFile(join(folder, "context-x.jsonl"), `${JSON.stringify(claim)}\n`);
  await remove(main);
  assert.deepEqual(await names(), ["context-x.jsonl"]);
});

test("links in the place of transcripts and folders lead nowhere", async (t) => {
  const { say, remove, folder, outside, ensureOutside, store } = await createScene(t);
  await say(main, "one");
  await say(dm, "two");
  const [own = ""] = await readdir(join(folder, "sessions"));
  await rm(join(folder, "sessions", own), { recursive: true });
  await symlink(outside, join(folder, "sessions", own));
  await rm(join(folder, "context.jsonl"));
  await symlink(join(outside, "secret"), join(folder, "context.jsonl"));
  assert.equal(await remove(main), true);
  assert.equal(await remove(dm), true);
  await ensureOutside();
  assert.deepEqual(await readdir(join(folder, "sessions")), []);
  await store().channels.remove(channel);
  await ensureOutside();
  await assert.rejects(lstat(folder));
});

for (const way of ["channels/slack/C1", "channels/slack", "channels"]) {
  test(`${way} leads out: removing the chat removes nothing there`, async (t) => {
    const { say, at, outside, ensureOutside, store } = await createScene(t);
    await say(main, "one");
    await mkdir(join(outside, "C1"), { recursive: true });
    await rename(at(way), at("moved"));
    await symlink(way.endsWith("C1") ? join(outside, "C1") : outside, at(way));
    await store().channels.remove(channel);
    await store().sessions.delete(main.sessionKey);
    assert.deepEqual((await readdir(outside)).sort(), ["C1", "secret"]);
    await rm(join(outside, "C1"), { recursive: true });
    await ensureOutside();
  });
}

test("what a crash left of a chat that was being removed goes with the next one, and is no chat meanwhile", async (t) => {
  const { say, at, store } = await createScene(t);
  await say(main, "one");
  await store().channels.tail(channel, 1);
  await mkdir(at("channels/slack/.removed-0011/attachments"), { recursive: true });
  assert.deepEqual(await store().channels.list(), [channel]);
  await store().channels.remove(channel);
  assert.deepEqual(await readdir(at("channels/slack")), []);
});

test("transcripts that could not be removed go when the store is next opened", async (t) => {
  const { say, remove, names, reopen, heard, breakFiles, store } = await createScene(t);
  await say(main, "one");
  breakFiles(true);
  await assert.rejects(remove(main), /the disk does not answer/);
  assert.equal(await store().sessions.get(main.sessionKey), undefined);
  await reopen();
  assert.match(store().findings.find(({ code }) => code === "SESSION_NOT_REMOVED")?.message ?? "", /agent:main:main/);
  await reopen(async () => breakFiles(false));
  assert.deepEqual([await names(), await heard(main)], [[], []]);
  await say(main, "anew");
  await reopen();
  assert.deepEqual(await heard(main), ["anew"], "it is done once");
});

test("a session that was spoken to again before that keeps what lies there", async (t) => {
  const { say, remove, reopen, heard, breakFiles, store } = await createScene(t);
  await say(main, "one");
  breakFiles(true);
  await assert.rejects(remove(main));
  breakFiles(false);
  await say(main, "anew");
  await reopen();
  await reopen();
  assert.deepEqual(await heard(main), ["anew"]);
  assert.equal((await store().transcripts.lives(main.sessionKey)).length, 2);
});

test("a guest removes nothing", async (t) => {
  const { say, open, heard, store } = await createScene(t);
  await say(main, "one");
  const guest = await open("guest");
  await assert.rejects(guest.sessions.delete(main.sessionKey), { code: "GUEST_MAY_NOT_WRITE" });
  await assert.rejects(guest.channels.remove(channel), { code: "GUEST_MAY_NOT_WRITE" });
  await guest.close();
  assert.deepEqual(await heard(main), ["one"]);
  assert.equal((await store().sessions.list()).length, 1);
});

test("a turn that begins its session anew is not held up by those that wait behind it", async (t) => {
  const scene = await createScene(t);
  const store = scene.store();
  const accept = async (id: string) => {
    const accepted = await store.inbox.accept({
      adapter: "slack",
      message: {
        id,
        channelId: "C1",
        timestamp: "2026-01-01T00:00:00.000Z",
        sender: { id: "U1", username: "ann", isBot: false },
        text: id,
        attachments: [],
        isMention: true,
      },
      verdict: { type: "turn", kind: "agent", lane: main.sessionKey, route: main },
    });
    return accepted.type === "accepted" ? accepted.turnId : undefined;
  };
  await store.sessions.open(main);
  const [first, second] = [await accept("first"), await accept("second")];
  await store.turns.claim(1000, ["slack"]);
  await assert.rejects(store.sessions.delete(main.sessionKey), { code: "SESSION_BUSY" });
  await assert.rejects(store.sessions.delete(main.sessionKey, second), { code: "SESSION_BUSY" });
  assert.equal(await store.sessions.delete(main.sessionKey, first), true);
});
