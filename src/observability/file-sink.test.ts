/** The log file on a real disk: order, rotation, full disks, folders that come and go. */
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { createFileSink } from "./file-sink.ts";
import type { LogRecord } from "./log-record.ts";

let folder = "";
let path = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "mom-log-"));
  path = join(folder, "state", "logs", "mom.log");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const record = (text: string): LogRecord => ({ at: 0, level: "info", text, fields: {} });
const readTexts = async (file: string): Promise<string[]> =>
  (await readFile(file, "utf8"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).text);

test("lines are appended in order, in a folder that is made when needed, for the owner only", async () => {
  const sink = createFileSink(path);
  for (let i = 0; i < 500; i++) sink.write(record(`${i}`));
  await sink.flush();
  sink.write(record("500"));
  await sink.close();
  sink.write(record("too late"));
  await sink.flush();
  assert.deepEqual(
    await readTexts(path),
    Array.from({ length: 501 }, (_, i) => `${i}`),
  );
  assert.equal((await stat(path)).mode & 0o777, 0o600);
});

test("files are rotated by size and the oldest is removed", async () => {
  const sink = createFileSink(path, { maxBytes: 1_000, maxFiles: 3 });
  for (let i = 0; i < 60; i++) {
    sink.write(record(`${i} ${"x".repeat(80)}`));
    await sink.flush();
  }
  await sink.close();
  const names = (await readdir(join(path, ".."))).sort();
  assert.deepEqual(names, ["mom.log", "mom.log.1", "mom.log.2"]);
  const texts = await Promise.all(["mom.log.2", "mom.log.1", "mom.log"].map((n) => readTexts(join(path, "..", n))));
  const numbers = texts.flat().map((text) => Number.parseInt(text, 10));
  assert.deepEqual(
    numbers,
    Array.from({ length: numbers.length }, (_, i) => 60 - numbers.length + i),
  );
  for (const name of names) assert.ok((await stat(join(path, "..", name))).size <= 1_000);
});

test("a full disk loses lines, never throws, and says so when there is room again", async () => {
  const full = join(folder, "full.log");
  await symlink("/dev/full", full);
  const sink = createFileSink(full);
  for (const text of ["a", "b", "c"]) {
    sink.write(record(text));
    await sink.flush();
  }
  assert.equal(sink.droppedLines, 3);
  await rm(full);
  sink.write(record("d"));
  await sink.close();
  const [note, line] = (await readFile(full, "utf8"))
    .trimEnd()
    .split("\n")
    .map((text) => JSON.parse(text));
  assert.deepEqual([note.level, note.dropped, note.reason], ["warn", 3, "ENOSPC"]);
  assert.equal(line.text, "d");
});

test("what cannot wait is dropped and counted", async () => {
  const sink = createFileSink(path, { maxWaiting: 1_000 });
  for (let i = 0; i < 100; i++) sink.write(record(`${i}`));
  await sink.flush();
  sink.write(record("after"));
  await sink.close();
  const texts = await readTexts(path);
  assert.equal(texts.length - 2 + sink.droppedLines, 100);
  assert.deepEqual([texts[0], texts[1], texts.at(-1)], ["log lines were dropped", "0", "after"]);
});

test("a torn last line is ended before the next one", async () => {
  const torn = join(folder, "torn.log");
  await writeFile(torn, '{"text":"hal');
  const sink = createFileSink(torn);
  sink.write(record("whole"));
  await sink.close();
  const lines = (await readFile(torn, "utf8")).split("\n");
  assert.equal(lines[0], '{"text":"hal');
  assert.equal(JSON.parse(lines[1] ?? "").text, "whole");
});

test("a file that was deleted comes back", async () => {
  const sink = createFileSink(path);
  sink.write(record("one"));
  await sink.flush();
  await rm(join(folder, "state"), { recursive: true });
  sink.write(record("two"));
  await sink.close();
  assert.deepEqual(await readTexts(path), ["two"]);
});
