/**
 * Programs own the workspace: each folder on the way to a file of the store is replaced by a link out of it, each file by a
 * a pipe or a second name of a file elsewhere. Nothing outside changes, and what was said is written all the same.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cp, lstat, mkdir, readdir, readFile, readlink, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { silentLog } from "../../test/fakes/log.ts";
import { createTempFolder } from "../../test/fakes/temp-folder.ts";
import { newEntryId } from "../base/ids.ts";
import type { SessionId, SessionKey, TurnId } from "../contracts/ids.ts";
import type { SessionRoute } from "../contracts/session.ts";
import type { Store } from "../contracts/store.ts";
import { buildLayout } from "./layout.ts";
import { migrateSlackLogs } from "./migrate-slack-logs.ts";
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

/** Relative to the workspace: every folder on the way to a chat's files. */
const ways = ["channels", "channels/slack", "channels/slack/C1"];

async function createScene(t: TestContext) {
  const { dir } = await createTempFolder(t);
  const dataDir = join(dir, "data");
  const outside = join(dir, "outside");
  await mkdir(outside);
  const layout = buildLayout(dataDir);
  const clock = createFakeClock();
  let store: Store | undefined;
  let count = 0;
  const open = async (): Promise<Store> => {
    store = await openStore({ layout, clock, log: silentLog, role: "owner", routesOf: () => [main, dm] });
    return store;
  };
  const isOpen = (): Store => store ?? assert.fail("no store");
  t.after(() => store?.close());
  await open();
  const at = (...parts: string[]) => join(layout.workspaceDir, ...parts);
  return {
    layout,
    outside,
    at,
    folder: layout.channelDir(channel),
    store: isOpen,
    /** A new process; `change` is what happened to the files meanwhile. */
    async reopen(change?: () => Promise<void>) {
      await store?.close();
      store = undefined;
      await change?.();
      return open();
    },
    /** What a program does: the folder goes elsewhere, and a link to the outside takes its place. */
    async lead(way: string) {
      await mkdir(at(way), { recursive: true });
      await rename(at(way), at(`moved-${++count}`));
      await symlink(outside, at(way));
    },
    async say(text: string, route = main) {
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
      await isOpen().inbox.accept({ adapter: channel.adapter, message, verdict });
      const turn = (await isOpen().turns.claim(1000, [channel.adapter])) ?? assert.fail("no turn");
      const said = { role: "user" as const, content: text, timestamp: 0 };
      const entry = { type: "message" as const, id: newEntryId(), timestamp: message.timestamp, message: said };
      await isOpen().turns.record(turn, { body: { type: "input", seenSeq: 1 }, entries: [entry] });
      await isOpen().turns.finish(turn, { outcome: "done", deliveries: [] });
    },
    async heard(route = main): Promise<unknown[]> {
      const { entries } = await isOpen().transcripts.context(route.sessionKey, 99);
      return entries.map((entry) => (entry.type === "message" ? entry.message.content : entry.type));
    },
    /** From the files themselves. */
    async logged(): Promise<string[]> {
      await isOpen().channels.tail(channel, 1);
      const lines = (await readFile(join(layout.channelDir(channel), "log.jsonl"), "utf8")).trimEnd().split("\n");
      return lines.map((line) => JSON.parse(line).text);
    },
    async attach(text: string) {
      const data = (async function* () {
        yield Buffer.from(text);
      })();
      return isOpen().channels.saveAttachment(channel, { filename: "a.txt", data, maxBytes: 99 });
    },
    reset: (to?: SessionId) => isOpen().sessions.reset(main.sessionKey, `t${++count}` as TurnId, to),
    lifeOf: async () => (await isOpen().sessions.get(main.sessionKey))?.sessionId as SessionId,
  };
}

async function ensureUntouched(outside: string): Promise<void> {
  assert.deepEqual(await readdir(outside), []);
}

for (const way of ways) {
  test(`${way} leads out, while mom runs: log, transcript and attachments go on in a real folder`, async (t) => {
    const scene = await createScene(t);
    await scene.say("before");
    assert.deepEqual(await scene.logged(), ["before"]);
    await scene.lead(way);
    // All at once: the first to meet the link makes way for the others, whose folder is not put aside in turn.
    const [saved] = await Promise.all([scene.attach("bytes"), scene.attach("more"), scene.say("after")]);
    assert.deepEqual(await scene.logged(), ["after"]);
    assert.deepEqual(await scene.heard(), ["before", "after"]);
    assert.equal(await readFile(scene.at(saved.localPath), "utf8"), "bytes");
    assert.ok((await lstat(scene.at(way))).isDirectory());
    assert.equal(await readlink(scene.at(`${way}.refused-1`)), scene.outside);
    const codes = scene.store().findings.map(({ code }) => code);
    assert.deepEqual(codes, ["FILE_SET_ASIDE"]);
    await ensureUntouched(scene.outside);
    // What was begun again is a transcript, not loose lines: a new process finds it.
    await scene.reopen();
    assert.deepEqual(await scene.heard(), ["after"]);
  });

  test(`${way} leads out when mom starts`, async (t) => {
    const scene = await createScene(t);
    await scene.say("before");
    for (const change of [
      () => scene.lead(way),
      async () => {
        await rm(scene.at(way), { recursive: true });
        await symlink(join(scene.outside, "nowhere"), scene.at(way));
      },
      async () => {
        await rm(scene.at(way), { recursive: true });
        await writeFile(scene.at(way), "a file");
      },
    ]) {
      await scene.reopen(change);
      await scene.say("after");
      assert.deepEqual(await scene.heard(), ["after"]);
      assert.deepEqual(await scene.logged(), ["after"]);
      await scene.attach("bytes");
      await ensureUntouched(scene.outside);
    }
  });

  test(`nothing is read through ${way}`, async (t) => {
    const scene = await createScene(t);
    await scene.say("before");
    const inner = join(scene.outside, "channels/slack/C1".slice(way.length + 1));
    await scene.reopen(async () => {
      await cp(scene.folder, inner, { recursive: true });
      await scene.lead(way);
    });
    assert.deepEqual(await scene.store().channels.list(), []);
    assert.deepEqual(await scene.store().channels.tail(channel, 9), []);
    assert.deepEqual(await scene.heard(), []);
    assert.deepEqual(await scene.store().transcripts.lives(main.sessionKey), []);
    assert.equal(await scene.store().transcripts.whole(main.sessionKey), undefined);
  });
}

test("the folder of attachments leads out, or is a file", async (t) => {
  const scene = await createScene(t);
  await scene.attach("first");
  await scene.lead("channels/slack/C1/attachments");
  const second = await scene.attach("second");
  assert.equal(await readFile(scene.at(second.localPath), "utf8"), "second");
  assert.equal((await stat(scene.at(second.localPath))).mode & 0o777, 0o644);
  await rm(scene.at("channels/slack/C1/attachments"), { recursive: true });
  await writeFile(scene.at("channels/slack/C1/attachments"), "");
  const third = await scene.attach("third");
  assert.equal(await readFile(scene.at(third.localPath), "utf8"), "third");
  await ensureUntouched(scene.outside);
});

test("a folder that is swapped while an attachment arrives keeps it, wherever its name leads", async (t) => {
  const scene = await createScene(t);
  await scene.attach("first");
  const data = (async function* () {
    yield Buffer.from("one ");
    await scene.lead("channels/slack/C1/attachments");
    yield Buffer.from("two");
  })();
  await scene.store().channels.saveAttachment(channel, { filename: "a.txt", data, maxBytes: 99 });
  const cut = (async function* () {
    yield Buffer.from("too ");
    await scene.lead("channels/slack/C1/attachments");
    yield Buffer.alloc(100);
  })();
  const failing = scene.store().channels.saveAttachment(channel, { filename: "b.txt", data: cut, maxBytes: 99 });
  await assert.rejects(failing, { code: "ATTACHMENT_TOO_LARGE" });
  await ensureUntouched(scene.outside);
});

test("lives change places in real folders only: /new, /resume, /fork and a session's own folder", async (t) => {
  const scene = await createScene(t);
  await scene.say("first");
  const first = await scene.lifeOf();
  await scene.say("from another session", dm);
  await scene.reset();
  await scene.lead("channels/slack/C1");
  await scene.say("second");
  await scene.lead("channels/slack/C1/sessions");
  await scene.say("still another session", dm);
  assert.deepEqual(await scene.heard(), ["second"]);
  await assert.rejects(scene.reset(first), { code: "LIFE_UNKNOWN" });
  const leaf = (await scene.store().transcripts.whole(main.sessionKey))?.leaf ?? assert.fail("no leaf");
  await scene.lead("channels/slack/C1");
  await assert.rejects(scene.store().transcripts.fork(main.sessionKey, leaf, "t-fork" as TurnId), {
    code: "ENTRY_UNKNOWN",
  });
  await scene.say("third");
  await ensureUntouched(scene.outside);
});

test("a folder that becomes a link between two lives does not take the archived one along", async (t) => {
  const scene = await createScene(t);
  await scene.say("first");
  await scene.reset();
  await writeFile(join(scene.outside, "context.jsonl"), "theirs\n");
  await scene.lead("channels/slack/C1");
  await scene.say("second");
  assert.deepEqual(await readdir(scene.outside), ["context.jsonl"]);
  assert.equal(await readFile(join(scene.outside, "context.jsonl"), "utf8"), "theirs\n");
  assert.deepEqual(await scene.heard(), ["second"]);
});

test("what lies in the way of a fork's file is no obstacle, and a folder there is not emptied", async (t) => {
  const scene = await createScene(t);
  await scene.say("one");
  const leaf = (await scene.store().transcripts.whole(main.sessionKey))?.leaf ?? assert.fail("no leaf");
  const by = "t-fork" as TurnId;
  const id = await scene.store().transcripts.fork(main.sessionKey, leaf, by);
  const name = `context-${id}.jsonl`;
  await rm(join(scene.folder, name));
  await mkdir(join(scene.folder, `.${name}.part`));
  await writeFile(join(scene.folder, `.${name}.part`, "kept"), "");
  await mkdir(join(scene.folder, name));
  assert.equal(await scene.store().transcripts.fork(main.sessionKey, leaf, by), id);
  assert.ok((await lstat(join(scene.folder, name))).isFile());
  assert.deepEqual(await readdir(join(scene.folder, `.${name}.part.refused-1`)), ["kept"]);
});

test("links, pipes and folders in the place of log and transcript: the chat goes on in plain files", async (t) => {
  const scene = await createScene(t);
  const victim = join(scene.layout.dataDir, "victim.jsonl");
  await writeFile(victim, "theirs\n");
  for (const name of ["log.jsonl", "context.jsonl"]) {
    for (const trap of [
      (path: string) => symlink(victim, path),
      async (path: string) => void execFileSync("mkfifo", [path]),
      (path: string) => mkdir(path),
    ]) {
      for (const isRunning of [true, false]) {
        await scene.say("before");
        await scene.logged();
        const lay = async () => {
          await rm(join(scene.folder, name), { recursive: true });
          await trap(join(scene.folder, name));
        };
        if (isRunning) await lay();
        else await scene.reopen(lay);
        await scene.say("after");
        assert.equal((await scene.heard()).at(-1), "after");
        assert.equal((await scene.logged()).at(-1), "after");
        const info = await lstat(join(scene.folder, name));
        assert.ok(info.isFile());
      }
    }
  }
  assert.equal(await readFile(victim, "utf8"), "theirs\n");
});

test("a trap in the place of what keeps a torn line does not hold up the log", async (t) => {
  const scene = await createScene(t);
  await scene.say("before");
  await scene.reopen(async () => {
    await writeFile(join(scene.folder, "log.jsonl"), '{"half');
    await symlink(join(scene.outside, "torn"), join(scene.folder, "log.jsonl.torn"));
  });
  await scene.say("after");
  assert.deepEqual(await scene.logged(), ["after"]);
  assert.equal(await readFile(join(scene.folder, "log.jsonl.torn"), "utf8"), '{"half\n');
  await ensureUntouched(scene.outside);
});

test("old logs are brought into real folders", async (t) => {
  const { dir } = await createTempFolder(t);
  const [dataDir, outside] = [join(dir, "data"), join(dir, "outside")];
  await cp(join(import.meta.dirname, "../../test/fixtures/slack-logs"), dataDir, { recursive: true });
  const layout = buildLayout(dataDir);
  const folder = layout.channelDir({ adapter: "slack", channelId: "C0AAA" });
  await mkdir(outside);
  await writeFile(join(outside, "log.jsonl"), "secret\n");
  const migrate = (dryRun: boolean) =>
    migrateSlackLogs({ layout, fromDir: dataDir, adapter: "slack", dryRun, nowMs: 0 });
  const lay = async (target: string, path: string) => {
    await rm(path, { recursive: true, force: true });
    await mkdir(join(path, ".."), { recursive: true });
    await symlink(target, path);
  };
  for (const path of [layout.channelsDir, join(folder, ".."), folder, join(folder, "attachments")]) {
    await lay(outside, path);
    const [planned] = await migrate(true);
    assert.deepEqual(planned?.setAside, []);
    const [done] = await migrate(false);
    assert.equal(done?.setAside.length, 1);
    assert.deepEqual(done?.missing, planned?.missing);
    assert.ok((await lstat(path)).isDirectory());
    assert.deepEqual(await readdir(outside), ["log.jsonl"]);
    assert.doesNotMatch(await readFile(join(folder, "log.jsonl"), "utf8"), /secret/);
  }
  await lay(join(outside, "log.jsonl"), join(folder, "log.jsonl"));
  await lay(join(outside, "log.jsonl"), join(folder, "MEMORY.md"));
  await migrate(false);
  assert.doesNotMatch(await readFile(join(folder, "log.jsonl"), "utf8"), /secret/);
  assert.doesNotMatch(await readFile(join(folder, "MEMORY.md"), "utf8"), /secret/);
  assert.equal(await readFile(join(outside, "log.jsonl"), "utf8"), "secret\n");
});
