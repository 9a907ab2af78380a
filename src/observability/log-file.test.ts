/** The log's tail and what follows it, over rotation. */
import assert from "node:assert/strict";
import { appendFile, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { createSystemClock } from "../base/clock.ts";
import { followLog, readLogTail } from "./log-file.ts";

let dir: string;
let path: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "mom-log-"));
  path = join(dir, "mom.log");
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** Lines as they come, and a wait for so many. */
function follow(end: Parameters<typeof followLog>[1]) {
  const lines: string[] = [];
  const stop = new AbortController();
  let check = () => {};
  const onLine = (line: string) => {
    lines.push(line);
    check();
  };
  const ended = followLog({ path, clock: createSystemClock(), signal: stop.signal, onLine }, end);
  return {
    lines,
    until: (count: number) =>
      new Promise<void>((resolve) => {
        check = () => lines.length >= count && resolve();
        check();
      }),
    stop: () => {
      stop.abort();
      return ended;
    },
  };
}

test("the tail goes back over rotated files and leaves out half a line", async () => {
  await writeFile(`${path}.2`, "a\nb\n");
  await writeFile(`${path}.1`, "c\nd\n");
  await writeFile(path, "ü\nhal");
  const { lines, end } = await readLogTail(path, 4);
  assert.deepEqual(lines, ["b", "c", "d", "ü"]);
  assert.equal(end?.offset, 3);
  assert.deepEqual((await readLogTail(path, 1)).lines, ["ü"]);
  assert.deepEqual((await readLogTail(join(dir, "none"), 5)).lines, []);
});

test("following sees added lines, also those written around a rotation, each once", async () => {
  await writeFile(path, "a\nb");
  const { end } = await readLogTail(path, 10);
  const followed = follow(end);
  await appendFile(path, "c\n");
  await followed.until(1);
  await appendFile(path, "last\n");
  await rename(path, `${path}.1`);
  await writeFile(path, "first\n");
  await followed.until(3);
  await appendFile(path, "second\n");
  await followed.until(4);
  await followed.stop();
  assert.deepEqual(followed.lines, ["bc", "last", "first", "second"]);
});

test("following waits for a file that is not there yet, and starts over when it is cut", async () => {
  const followed = follow(undefined);
  await writeFile(path, "one\ntwo\n");
  await followed.until(2);
  await writeFile(path, "new\n");
  await followed.until(3);
  await followed.stop();
  assert.deepEqual(followed.lines, ["one", "two", "new"]);
});
