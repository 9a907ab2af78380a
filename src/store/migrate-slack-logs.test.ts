/** Old Slack logs into today's layout: what is carried over, what is reported, and that nothing happens twice. */
import assert from "node:assert/strict";
import { appendFile, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { StoreError } from "../base/errors.ts";
import type { LogLine } from "../contracts/message.ts";
import { buildLayout } from "./layout.ts";
import { migrateSlackLogs } from "./migrate-slack-logs.ts";
import { readHolder, takeProcessLock } from "./process-lock.ts";

const fixtures = join(import.meta.dirname, "../../test/fixtures/slack-logs");
const nowMs = Date.UTC(2026, 0, 1);
let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "mom-migrate-"));
  await cp(fixtures, dataDir, { recursive: true });
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const migrate = (more: { dryRun?: boolean; fromDir?: string } = {}) =>
  migrateSlackLogs({
    layout: buildLayout(dataDir),
    fromDir: dataDir,
    adapter: "slack-acme",
    dryRun: false,
    nowMs,
    ...more,
  });
const folder = (channelId: string) => join(dataDir, "workspace/channels/slack-acme", channelId);
const readLog = async (channelId: string): Promise<LogLine[]> =>
  (await readFile(join(folder(channelId), "log.jsonl"), "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

test("lines, attachments, memory and transcript are carried over, and the old files stay", async () => {
  const before = await readFile(join(dataDir, "C0AAA/log.jsonl"), "utf8");
  const channels = await migrate();
  assert.deepEqual(
    channels.map(({ channelId, added, present }) => [channelId, added, present]),
    [
      ["C0AAA", 5, 0],
      ["D0BBB", 1, 0],
    ],
  );
  const [hello, reply, look, , undated] = await readLog("C0AAA");
  assert.deepEqual(hello, {
    id: "1764153840.000100",
    ts: "2025-11-26T10:44:00.000Z",
    sender: { id: "U1", username: "ann", displayName: "Ann A.", isBot: false },
    text: "hello mom",
    attachments: [],
  });
  assert.deepEqual(reply?.sender, { id: "bot", username: "mom", isBot: true });
  assert.equal(undated?.ts, "2025-11-26T10:47:00.000Z");
  const [plan] = look?.attachments ?? [];
  assert.equal(plan?.filename, "my plan.txt");
  assert.equal(await readFile(join(dataDir, "workspace", plan?.localPath ?? ""), "utf8"), "the plan\n");
  assert.match(await readFile(join(folder("C0AAA"), "MEMORY.md"), "utf8"), /Ann likes tea/);
  assert.match(await readFile(join(folder("C0AAA"), "context.jsonl"), "utf8"), /old-session/);
  assert.equal(await readFile(join(dataDir, "C0AAA/log.jsonl"), "utf8"), before);
});

test("lines that cannot be read and attachments that cannot be had are named", async () => {
  const [channel] = await migrate({ dryRun: true });
  assert.deepEqual(channel?.badLines, [
    { line: 4, reason: "not JSON" },
    { line: 7, reason: "no ts" },
  ]);
  assert.deepEqual(channel?.missing, ["C0AAA/attachments/1764153900000_gone.png", "../../../../../../etc/passwd"]);
});

test("a path in a log cannot fetch a file from elsewhere", async () => {
  await migrate();
  const copied = await readdir(join(folder("C0AAA"), "attachments"));
  assert.deepEqual(copied, ["1764153900000_plan.txt"]);
  for (const { attachments } of await readLog("C0AAA")) {
    for (const { localPath } of attachments)
      assert.match(localPath, /^channels\/slack-acme\/C0AAA\/attachments\/[^/]+$/);
  }
});

test("a dry run writes nothing", async () => {
  const names = await readdir(dataDir);
  const [channel] = await migrate({ dryRun: true });
  assert.deepEqual([channel?.added, channel?.copied.length], [5, 3]);
  assert.deepEqual(await readdir(dataDir), names);
});

test("a second run adds nothing, and one that was cut off is made good", async () => {
  await migrate();
  const log = await readFile(join(folder("C0AAA"), "log.jsonl"), "utf8");
  const again = await migrate();
  assert.deepEqual(
    again.map(({ added, copied }) => [added, copied]),
    [
      [0, []],
      [0, []],
    ],
  );
  await rm(join(folder("C0AAA"), "MEMORY.md"));
  await appendFile(join(dataDir, "C0AAA/log.jsonl"), `${await readFile(join(dataDir, "D0BBB/log.jsonl"), "utf8")}`);
  const [third] = await migrate();
  assert.deepEqual([third?.added, third?.present, third?.copied], [1, 5, ["MEMORY.md"]]);
  assert.ok((await readFile(join(folder("C0AAA"), "log.jsonl"), "utf8")).startsWith(log));
});

test("what has been said since stays as it is, and old lines come before it", async () => {
  await mkdir(folder("D0BBB"), { recursive: true });
  const since = { id: "new", ts: "2026-01-01T00:00:00.000Z", sender: { id: "U1" }, text: "since", odd: 1 };
  const kept = `${JSON.stringify(since)}\nnot json\n{"half":`;
  await writeFile(join(folder("D0BBB"), "log.jsonl"), kept);
  await migrate();
  const text = await readFile(join(folder("D0BBB"), "log.jsonl"), "utf8");
  assert.ok(text.endsWith(kept));
  assert.match(text.slice(0, -kept.length), /^\{"id":"1764230400.000100".*\}\n$/);
});

test("it refuses while a mom runs, and leaves the trace of a crash for the next start", async () => {
  const layout = buildLayout(dataDir);
  await mkdir(layout.stateDir);
  const lock = await takeProcessLock(layout, nowMs);
  await assert.rejects(migrate(), (error) => error instanceof StoreError && error.code === "DATA_DIR_IN_USE");
  await assert.rejects(stat(layout.workspaceDir));
  lock.release({ clean: true });
  await migrate();
  assert.equal(readHolder(layout), undefined);
  const crashed = { pid: 1, host: "h", startedAt: "2026-01-01T00:00:00.000Z" };
  await writeFile(layout.runningPath, JSON.stringify(crashed));
  await migrate();
  assert.deepEqual(readHolder(layout), crashed);
});

test("a source that is not there is an error, an empty one is not", async () => {
  await assert.rejects(migrate({ fromDir: join(dataDir, "nowhere") }), { code: "MIGRATION_SOURCE_MISSING" });
  assert.deepEqual(await migrate({ fromDir: join(dataDir, "skills") }), []);
});
