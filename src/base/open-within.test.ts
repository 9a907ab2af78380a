import assert from "node:assert/strict";
import { chmod, lstat, mkdir, open, readdir, readFile, readlink, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createTempFolder } from "../../test/fakes/temp-folder.ts";
import { isOpenAt, isSameFile, watchFolder } from "./open-folder.ts";
import { ensureWithin, openWithin, putAside, useFolder } from "./open-within.ts";

async function createScene(t: TestContext) {
  const { dir } = await createTempFolder(t);
  const [root, outside] = [join(dir, "root"), join(dir, "outside")];
  await mkdir(join(root, "a/b"), { recursive: true });
  await mkdir(join(outside, "b"), { recursive: true });
  const asides: string[] = [];
  return {
    dir,
    root,
    outside,
    asides,
    onAside: (path: string, aside: string) => void asides.push(path, aside),
    /** The folder goes elsewhere and a link out takes its place. */
    async lead(path: string) {
      await rename(path, `${path}-moved`);
      await symlink(outside, path);
    },
  };
}

test("a folder is entered and made below the root, which itself may be a link", async (t) => {
  const { dir, root, onAside, asides } = await createScene(t);
  await symlink(root, join(dir, "link"));
  const folder = await ensureWithin(join(dir, "link"), "a/new/deep", onAside);
  await useFolder(folder, ({ entry }) => writeFile(entry("file"), "text"));
  assert.equal(await readFile(join(root, "a/new/deep/file"), "utf8"), "text");
  const same = await openWithin(root, "./a//new/deep/");
  assert.equal(await same?.realPath(), join(root, "a/new/deep"));
  await same?.close();
  assert.equal(await openWithin(root, "a/none"), undefined);
  assert.equal(await openWithin(join(root, "none"), "a"), undefined);
  assert.deepEqual(asides, []);
});

for (const way of ["a", "a/b"]) {
  test(`a link at ${way} is not followed, and makes way for a folder`, async (t) => {
    const { root, outside, lead, onAside, asides } = await createScene(t);
    await lead(join(root, way));
    assert.equal(await openWithin(root, "a/b"), undefined);
    await useFolder(await ensureWithin(root, "a/b/c", onAside), ({ entry }) => writeFile(entry("file"), ""));
    assert.deepEqual(await readdir(outside, { recursive: true }), ["b"]);
    assert.deepEqual(await readdir(join(root, "a/b/c")), ["file"]);
    assert.deepEqual(asides, [join(root, way), join(root, `${way}.refused-1`)]);
    assert.equal(await readlink(join(root, `${way}.refused-1`)), outside);
  });
}

test("several that meet the same link put it aside once, and share the new folder", async (t) => {
  const { root, lead, onAside, asides } = await createScene(t);
  await lead(join(root, "a"));
  const folders = await Promise.all(Array.from({ length: 8 }, () => ensureWithin(root, "a/b", onAside)));
  for (const folder of folders) {
    assert.equal(await folder.realPath(), join(root, "a/b"));
    await folder.close();
  }
  assert.equal(asides.length, 2);
});

test("a way that leads up is refused", async (t) => {
  const { root, onAside } = await createScene(t);
  await assert.rejects(ensureWithin(root, "../outside", onAside), { code: "STORE_FILE_REFUSED" });
  await assert.rejects(openWithin(root, "a/../../outside"), { code: "STORE_FILE_REFUSED" });
});

test("what cannot be put aside is refused, and not followed", async (t) => {
  const { dir, root, outside, lead, onAside } = await createScene(t);
  await lead(join(root, "a"));
  await chmod(dir, 0o755);
  await chmod(root, 0o555);
  // Root may do everything, so she steps down for a moment.
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65534);
  try {
    await assert.rejects(ensureWithin(root, "a/c", onAside), { code: "STORE_FILE_REFUSED" });
  } finally {
    if (isRoot) process.seteuid?.(0);
    await chmod(root, 0o755);
  }
  assert.deepEqual(await readdir(outside), ["b"]);
});

test("what is put aside takes nobody's name, however many there are", async (t) => {
  const { root, onAside, asides } = await createScene(t);
  for (let n = 1; n <= 20; n++) await writeFile(join(root, `x.refused-${n}`), "theirs");
  await writeFile(join(root, "x"), "mine");
  const folder = await ensureWithin(root, "", onAside);
  await useFolder(folder, async () => {
    await putAside(folder, join(root, "x"), { isInTheWay: () => false, onAside });
    await putAside(folder, join(root, "none"), { isInTheWay: () => true, onAside });
    assert.deepEqual(asides, []);
    await putAside(folder, join(root, "x"), { isInTheWay: () => true, onAside });
  });
  assert.match(asides[1] ?? "", /x\.refused-[0-9a-f]{16}$/);
  assert.equal(await readFile(asides[1] ?? "", "utf8"), "mine");
  assert.equal(await readFile(join(root, "x.refused-20"), "utf8"), "theirs");
});

test("an open file knows whether it lies where it should", async (t) => {
  const { root, outside, lead } = await createScene(t);
  const path = join(root, "a/file");
  await writeFile(path, "");
  const file = await open(path);
  t.after(() => file.close());
  for (const isThere of [isOpenAt, isSameFile]) assert.equal(await isThere(file, path), true);
  await lead(join(root, "a"));
  await rename(join(root, "a-moved/file"), join(outside, "file"));
  // By its name through the link it is the same file, but not in its place.
  for (const isThere of [isOpenAt, isSameFile]) assert.equal(await isThere(file, path), false);
});

test("where folders cannot be held open, a link is refused before, and a swap is noticed after", async (t) => {
  const { root, lead } = await createScene(t);
  const folder = await watchFolder(join(root, "a"));
  await useFolder(folder, async ({ entry }) => assert.ok((await lstat(entry("b"))).isDirectory()));
  await assert.rejects(
    useFolder(folder, () => lead(join(root, "a"))),
    { code: "STORE_FILE_REFUSED" },
  );
  await assert.rejects(watchFolder(join(root, "a")), { code: "ENOTDIR" });
  const inner = await watchFolder(join(root, "a-moved/b"));
  await assert.rejects(
    useFolder(inner, () => lead(join(root, "a-moved"))),
    { code: "STORE_FILE_REFUSED" },
  );
});
