import assert from "node:assert/strict";
import { rename, rm, stat, symlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createSteppingClock } from "../../test/fakes/stepping-clock.ts";
import { createTempFolder } from "../../test/fakes/temp-folder.ts";
import { createFileCache, type FileRequest } from "./file-cache.ts";

/** A cache of texts that counts how often it had to read. `nowMs`: what time it is when files are looked at. */
function createCounting(root: string, nowMs = Date.now() + 3600_000) {
  const complaints: string[] = [];
  const counts = { builds: 0 };
  const clock = createSteppingClock(nowMs);
  const cache = createFileCache<FileRequest, string>({
    clock,
    complain: (path, problem) => complaints.push(`${path.slice(root.length + 1)}: ${problem}`),
    build: ({ text }) => {
      counts.builds++;
      return text;
    },
  });
  const get = (path: string, maxBytes = 100) => cache.get({ root, path, limits: { maxBytes } });
  return { get, counts, complaints, clock };
}

test("a burst of turns looks at a file once a second", async (t) => {
  const { dir, put } = await createTempFolder(t);
  const { get, clock } = createCounting(dir);
  clock.stepMs = 400;
  await put("a.md", "one");
  assert.equal(await get("a.md"), "one");
  await put("a.md", "two");
  assert.equal(await get("a.md"), "one", "400 ms later");
  assert.equal(await get("a.md"), "one", "800 ms later");
  assert.equal(await get("a.md"), "two", "1200 ms later");
});

test("a file is read once while it stays the same", async (t) => {
  const { dir, put } = await createTempFolder(t);
  const { get, counts } = createCounting(dir);
  await put("a.md", "one");
  assert.equal(await get("a.md"), "one");
  assert.equal(await get("a.md"), "one");
  assert.equal(counts.builds, 1);
  assert.equal(await get("a.md", 200), "one");
  assert.equal(counts.builds, 2);
});

test("any change is seen: other text, other file of the same size and time, none, one again", async (t) => {
  const { dir, put } = await createTempFolder(t);
  const { get } = createCounting(dir);
  const path = await put("a.md", "one");
  assert.equal(await get("a.md"), "one");
  await put("a.md", "three");
  assert.equal(await get("a.md"), "three");
  const { atime, mtime } = await stat(path);
  const other = await put("b.md", "eerht");
  await utimes(other, atime, mtime);
  await rename(other, path);
  assert.equal(await get("a.md"), "eerht");
  await rm(path);
  assert.equal(await get("a.md"), undefined);
  await put("a.md", "back");
  assert.equal(await get("a.md"), "back");
});

test("a file that has changed just now is not trusted to stay", async (t) => {
  const { dir, put } = await createTempFolder(t);
  const path = await put("a.md", "one");
  const { get, counts } = createCounting(dir, (await stat(path)).ctimeMs + 10);
  await get("a.md");
  await get("a.md");
  assert.equal(counts.builds, 2);
});

test("what cannot be used counts as absent, is complained about, and used as soon as it can be", async (t) => {
  const { dir, put } = await createTempFolder(t);
  const { get, complaints } = createCounting(join(dir, "root"));
  await put("secret.md", "secret");
  await put("root/a.md", Buffer.from([0]));
  assert.equal(await get("a.md"), undefined);
  await rm(join(dir, "root/a.md"));
  await symlink("../secret.md", join(dir, "root/a.md"));
  assert.equal(await get("a.md"), undefined);
  await rm(join(dir, "root/a.md"));
  await put("root/a.md", "fine");
  assert.equal(await get("a.md"), "fine");
  assert.equal(await get(`${"x".repeat(300)}`), undefined);
  assert.deepEqual(
    complaints.map((text) => text.replace(/^x+/, "x")),
    [
      "a.md: it is not text (it has NUL bytes)",
      "a.md: it leads out of its folder",
      "x: it cannot be read (ENAMETOOLONG)",
    ],
  );
});

test("only so many files are kept, the ones used last", async (t) => {
  const { dir, put } = await createTempFolder(t);
  const { get, counts } = createCounting(dir);
  await put("first.md", "first");
  await put("second.md", "second");
  await get("first.md");
  await get("second.md");
  await put("n.md", "n");
  for (let n = 0; n < 499; n++) {
    await get("n.md", 1000 + n);
    if (n === 250) await get("first.md");
  }
  const before = counts.builds;
  await get("first.md");
  assert.equal(counts.builds, before);
  await get("second.md");
  assert.equal(counts.builds, before + 1);
});
