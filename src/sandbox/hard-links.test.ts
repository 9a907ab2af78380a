import assert from "node:assert/strict";
import { link, mkdir, rename, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { createTempFolder } from "../../test/fakes/temp-folder.ts";
import { createHardLinkSearch, isHardLinkInto } from "./hard-links.ts";

const { signal } = new AbortController();

test("a file is found to be a hidden one by another name, also deep in a hidden folder", async (context) => {
  const { dir, put } = await createTempFolder(context);
  const secret = await put("state/deep/er/secret", "s");
  const other = await put("other", "o");
  await link(secret, join(dir, "alias"));
  await link(other, join(dir, "harmless"));
  const hidden = [join(dir, "state"), join(dir, "missing")];
  assert.equal(await isHardLinkInto(await stat(join(dir, "alias")), hidden), true);
  assert.equal(await isHardLinkInto(await stat(join(dir, "harmless")), hidden), false);
});

test("files with names outside are found; names that all lie inside are nobody's business", async (context) => {
  const { dir, put } = await createTempFolder(context);
  await put("open/sub/one", "1");
  await link(join(dir, "open/sub/one"), join(dir, "open/two"));
  const closed = await put("closed/log", "secret");
  // Far in the future, so that folders count as settled.
  const search = createHardLinkSearch({ clock: createFakeClock(Date.UTC(2100, 0)) });
  const find = () => search.find([join(dir, "open"), join(dir, "open/sub")], signal);
  assert.deepEqual(await find(), []);
  await link(closed, join(dir, "open/sub/alias"));
  assert.deepEqual(await find(), [join(dir, "open/sub/alias")]);
  assert.deepEqual(await find(), [join(dir, "open/sub/alias")]);
});

test("a folder that is moved in, or that has its time set back, is looked at again", async (context) => {
  const { dir, put } = await createTempFolder(context);
  await mkdir(join(dir, "open"));
  const closed = await put("closed/log", "secret");
  await mkdir(join(dir, "made"));
  await link(closed, join(dir, "made/alias"));
  const search = createHardLinkSearch({ clock: createFakeClock(Date.UTC(2100, 0)) });
  const { mtime } = await stat(join(dir, "open"));
  assert.deepEqual(await search.find([join(dir, "open")], signal), []);
  await rename(join(dir, "made"), join(dir, "open/made"));
  await utimes(join(dir, "open"), mtime, mtime);
  assert.deepEqual(await search.find([join(dir, "open")], signal), [join(dir, "open/made/alias")]);
});

test("a search has an end: when it is aborted, and when there is too much to look at", async (context) => {
  const { dir } = await createTempFolder(context);
  const mkdirs = async (name: string, count: number) => {
    for (let n = 0; n < count; n++) await mkdir(join(dir, name, String(n)), { recursive: true });
  };
  await mkdirs("few", 3);
  const search = createHardLinkSearch({ clock: createFakeClock(Date.UTC(2100, 0)), maxLooks: 40 });
  const find = (name: string, stop = signal) => search.find([join(dir, name)], stop);
  assert.deepEqual(await find("few"), []);
  await assert.rejects(find("few", AbortSignal.abort()), { name: "AbortError" });
  for (const part of ["a", "b", "c", "d"]) await mkdirs(`many/${part}`, 6);
  await assert.rejects(find("many"), { code: "SANDBOX_UNAVAILABLE", retryable: true });
  assert.deepEqual(await find("many"), [], "what was looked at is remembered");
  await mkdirs("endless", 60);
  for (let n = 0; n < 5; n++) await assert.rejects(find("endless"), { code: "SANDBOX_UNAVAILABLE" });
});
