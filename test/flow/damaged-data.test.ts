/** Damage on disk: each kind is mended or refused with a message that says what to do, and nothing is lost. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { App } from "../../src/app/index.ts";
import { createSystemClock } from "../../src/base/clock.ts";
import { buildRoute } from "../../src/sessions/index.ts";
import { buildLayout, openStore } from "../../src/store/index.ts";
import { createWorld, say, type World } from "./world.ts";

const chatFolder = (world: World) => join(world.dataDir, "workspace/channels/fake/D1");
const linesOf = async (path: string) => (await readFile(path, "utf8")).trimEnd().split("\n");

/** One message, answered and noted. */
async function converse(world: World, app: App, text: string, id: string): Promise<void> {
  say(world.chat, text, { id });
  await world.chat.until(() => world.chat.posts.some((post) => post.text === `echo ${text}`));
  const turn = (await app.store.turns.list({ limit: 5 })).find((each) => each.message.id === id);
  assert.ok(turn);
  await app.whenOver(turn.id);
}

test("half a line at the end of log and transcript is mended, kept and reported", async () => {
  const world = await createWorld();
  try {
    const first = await world.start();
    await converse(world, first, "one", "d1");
    await first.stop();
    await appendFile(join(chatFolder(world), "log.jsonl"), '{"id":"torn","ts":"2026');
    await appendFile(join(chatFolder(world), "context.jsonl"), '{"type":"message","id":"dead');
    const second = await world.start();
    await converse(world, second, "two", "d2");
    await second.stop();
    const log = (await linesOf(join(chatFolder(world), "log.jsonl"))).map((line) => JSON.parse(line).text);
    assert.deepEqual(log, ["one", "echo one", "two", "echo two"]);
    assert.equal((await linesOf(join(chatFolder(world), "context.jsonl"))).map((line) => JSON.parse(line)).length, 6);
    assert.match(await readFile(join(chatFolder(world), "log.jsonl.torn"), "utf8"), /"torn"/);
    assert.match(world.logText(), /ended in half a line/);
  } finally {
    await world.close();
  }
});

test("a line that is not JSON is skipped and reported; the rest is read", async () => {
  const world = await createWorld();
  try {
    const first = await world.start();
    await converse(world, first, "one", "c1");
    await first.stop();
    await appendFile(join(chatFolder(world), "log.jsonl"), "not json at all\n");
    const second = await world.start();
    await converse(world, second, "two", "c2");
    const lines = await second.store.channels.tail({ adapter: "fake", channelId: "D1" }, 10);
    assert.deepEqual(
      lines.map((line) => line.text),
      ["one", "echo one", "two", "echo two"],
    );
    assert.match(world.logText(), /a line that is not JSON, skipped: not json at all/);
  } finally {
    await world.close();
  }
});

test("a damaged database is set aside and rebuilt; old messages stay known, the conversation goes on", async () => {
  const world = await createWorld();
  try {
    const first = await world.start();
    await converse(world, first, "one", "b1");
    await first.stop();
    await writeFile(join(world.dataDir, "state/mom.db"), "this is no database, it only looks like a file".repeat(200));
    const second = await world.start();
    assert.match(world.logText(), /The database was damaged\. It is kept as .*damaged-/);
    assert.ok((await readdir(join(world.dataDir, "state"))).some((name) => name.startsWith("mom.db.damaged-")));
    say(world.chat, "one", { id: "b1" });
    await converse(world, second, "two", "b2");
    assert.deepEqual(
      world.chat.posts.map((post) => post.text),
      ["echo one", "echo two"],
    );
    const sent = JSON.stringify(world.model.requests.at(-1)?.body["messages"]);
    assert.match(sent, /one/, "the transcript is still the session's");
    await second.stop();
  } finally {
    await world.close();
  }
});

test("damage inside the database is found after a crash", async () => {
  const world = await createWorld();
  try {
    const first = await world.start();
    for (let n = 0; n < 5; n++) await converse(world, first, `message ${n} ${"x".repeat(3000)}`, `i${n}`);
    await first.stop();
    const path = join(world.dataDir, "state/mom.db");
    const bytes = await readFile(path);
    bytes.fill(0xa5, 4096, bytes.length - 4096);
    await writeFile(path, bytes);
    // What a killed process leaves behind: its word that it was running.
    await writeFile(
      join(world.dataDir, "state/running.json"),
      '{"pid":1,"host":"x","startedAt":"2026-01-01T00:00:00Z"}',
    );
    const second = await world.start();
    await converse(world, second, "after", "i9");
    assert.match(world.logText(), /The database was damaged/);
  } finally {
    await world.close();
  }
});

test("a database that is damaged anywhere is set aside at the next start, and mom answers", async () => {
  const world = await createWorld();
  try {
    let count = 0;
    for (const offset of [4096, 20_480, 40_960, 61_440]) {
      const app = await world.start();
      for (let n = 0; n < 3; n++) await converse(world, app, `text ${++count}`, `p${count}`);
      await app.stop();
      const path = join(world.dataDir, "state/mom.db");
      const bytes = await readFile(path);
      bytes.fill(0x5a, offset, offset + 12_288);
      await writeFile(path, bytes);
    }
    const last = await world.start();
    await converse(world, last, "still here", "p-last");
    assert.equal(world.logText().match(/The database was damaged/g)?.length, 4);
  } finally {
    await world.close();
  }
});

test("a data directory that cannot be written is refused with the fix", async (t) => {
  const mountPoint = await mountSmall(t);
  if (!mountPoint) return;
  const world = await createWorld();
  const dataDir = join(mountPoint, "data");
  try {
    await mkdir(dataDir);
    await writeFile(join(dataDir, "config.json"), await readFile(join(world.dataDir, "config.json")));
    execFileSync("mount", ["-o", "remount,ro", mountPoint]);
    await assert.rejects(world.start({ dataDir }), (error: Error & { code: string; hint: string }) => {
      assert.equal(error.code, "STORE_NOT_WRITABLE");
      assert.match(error.message, /data\/workspace cannot be written \(EROFS\)/);
      assert.match(error.hint, /write access to the data directory, or choose another with --data/);
      return true;
    });
  } finally {
    await world.close();
    await unmount(mountPoint);
  }
});

test("files and folders that are deleted under a running mom are noticed", async () => {
  const world = await createWorld();
  try {
    const app = await world.start();
    await converse(world, app, "one", "g1");
    await app.store.channels.tail({ adapter: "fake", channelId: "D1" }, 1);
    await rm(chatFolder(world), { recursive: true });
    await converse(world, app, "two", "g2");
    const lines = await app.store.channels.tail({ adapter: "fake", channelId: "D1" }, 9);
    assert.ok(
      lines.some((line) => line.text === "echo two"),
      "the log is begun again",
    );
    await rm(join(world.dataDir, "state"), { recursive: true });
    while (!/was removed or replaced while mom runs/.test(world.logText())) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    say(world.chat, "three", { id: "g3" });
    while (!/DATA_DIR_GONE/.test(world.logText())) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(world.chat.unacknowledged, 1, "the platform keeps the message");
  } finally {
    await world.close();
  }
});

test("a second mom on the same directory says who holds it", async () => {
  const world = await createWorld();
  try {
    await world.start();
    await assert.rejects(world.start(), (error: Error & { code: string; hint: string }) => {
      assert.equal(error.code, "DATA_DIR_IN_USE");
      assert.match(error.message, new RegExp(`process ${process.pid} on .+, running since`));
      assert.match(error.hint, /another data directory/);
      return true;
    });
  } finally {
    await world.close();
  }
});

/** A file system of two megabytes; undefined, and the test skipped, where mounting is not allowed. */
async function mountSmall(t: TestContext): Promise<string | undefined> {
  const mountPoint = await mkdtemp(join(tmpdir(), "mom-small-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", mountPoint], { stdio: "ignore" });
    return mountPoint;
  } catch {
    await rm(mountPoint, { recursive: true });
    t.skip("only root can mount a small file system");
    return undefined;
  }
}

async function unmount(mountPoint: string): Promise<void> {
  execFileSync("umount", [mountPoint]);
  await rm(mountPoint, { recursive: true, force: true });
}

test("a full disk is said, what cannot be stored is not acknowledged, and it goes on when there is space", async (t) => {
  const mountPoint = await mountSmall(t);
  if (!mountPoint) return;
  const world = await createWorld({ config: { queue: { mode: "followup" } }, m1: { contextWindow: 1_000_000 } });
  const dataDir = join(mountPoint, "data");
  try {
    await mkdir(dataDir);
    await writeFile(join(dataDir, "config.json"), await readFile(join(world.dataDir, "config.json")));
    const app = await world.start({ dataDir });
    await converse(world, app, "before", "w1");
    // All that is left, in ever smaller pieces.
    for (const size of [65536, 4096]) {
      for (let n = 0; ; n++) {
        const isFull = await writeFile(join(mountPoint, `fill-${size}-${n}`), Buffer.alloc(size)).then(
          () => false,
          () => true,
        );
        if (isFull) break;
      }
    }
    const texts = ["a", "b", "c", "d"].map((letter) => letter.repeat(300_000));
    for (const [n, text] of texts.entries()) say(world.chat, text, { id: `w${n + 2}` });
    while (!/disk is full/i.test(world.logText())) await new Promise((resolve) => setImmediate(resolve));
    for (const name of await readdir(mountPoint)) if (name.startsWith("fill")) await rm(join(mountPoint, name));
    execFileSync("mount", ["-o", "remount,size=64m", mountPoint]);
    await world.chat.until(() => world.chat.posts.length === 5 && world.chat.unacknowledged === 0);
    assert.deepEqual(
      world.chat.posts.slice(1).map((post) => post.text),
      texts.map((text) => `echo ${text}`),
    );
    await app.stop();
  } finally {
    await world.close();
    await unmount(mountPoint);
  }
});

test("the store closes what it opened when it cannot be used", async () => {
  const world = await createWorld();
  try {
    await mkdir(join(world.dataDir, "state/mom.db"), { recursive: true });
    const open = () =>
      openStore({
        layout: buildLayout(world.dataDir),
        clock: createSystemClock(),
        log: { debug() {}, info() {}, warn() {}, error() {}, with: () => assert.fail() },
        role: "owner",
        routesOf: (channel) => [buildRoute("main", { type: "main" }, channel)],
      });
    await assert.rejects(open(), { code: "STORE_NOT_WRITABLE" });
    await assert.rejects(open(), { code: "STORE_NOT_WRITABLE" }, "the lock was given back");
  } finally {
    await world.close();
  }
});
