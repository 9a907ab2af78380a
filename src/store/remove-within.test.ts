/** Trees that programs have made: whatever is in them, it goes, and nothing outside does. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmod, link, mkdir, readdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createTempFolder } from "../../test/fakes/temp-folder.ts";
import { openWithin, useFolder } from "../base/open-within.ts";
import { removeWithin } from "./remove-within.ts";

async function createScene(t: TestContext) {
  const { dir, put } = await createTempFolder(t);
  await put("outside/secret", "text");
  const root = join(dir, "root");
  await mkdir(join(root, "gone"), { recursive: true });
  return {
    root,
    outside: join(dir, "outside"),
    async remove(name = "gone") {
      const folder = (await openWithin(root, ".")) ?? assert.fail();
      await useFolder(folder, () => removeWithin(folder, name));
    },
    async ensureOutside() {
      assert.equal(await readFile(join(dir, "outside/secret"), "utf8"), "text");
      assert.deepEqual(await readdir(join(dir, "outside")), ["secret"]);
    },
  };
}

test("files, folders, links and pipes go; what links lead to stays", async (t) => {
  const { root, outside, remove, ensureOutside } = await createScene(t);
  const gone = join(root, "gone");
  await mkdir(join(gone, "a/b/c"), { recursive: true });
  await writeFile(join(gone, "a/b/c/file"), "");
  await symlink(outside, join(gone, "a/b/link"));
  await symlink(join(outside, "secret"), join(gone, "link"));
  await link(join(outside, "secret"), join(gone, "second-name"));
  execFileSync("mkfifo", [join(gone, "pipe")]);
  await writeFile(join(root, "kept"), "");
  await remove();
  assert.deepEqual(await readdir(root), ["kept"]);
  await ensureOutside();
});

test("a name that is a file, a link or nothing at all", async (t) => {
  const { root, outside, remove, ensureOutside } = await createScene(t);
  await writeFile(join(root, "file"), "");
  await symlink(outside, join(root, "link"));
  for (const name of ["file", "link", "nothing", "gone"]) await remove(name);
  assert.deepEqual(await readdir(root), []);
  await ensureOutside();
});

test("a tree that is deeper than paths go, and a folder with many names", async (t) => {
  const { root, remove } = await createScene(t);
  for (let n = 0; n < 300; n++) await writeFile(join(root, "gone", `file-${n}`), "");
  // Each level is put around the one before, so that no path grows too long.
  await mkdir(join(root, "deep"));
  for (let n = 0; n < 100; n++) {
    await mkdir(join(root, "next"));
    await rename(join(root, "deep"), join(root, `next/${"x".repeat(100)}`));
    await rename(join(root, "next"), join(root, "deep"));
  }
  await rename(join(root, "deep"), join(root, "gone/deep"));
  await remove();
  assert.deepEqual(await readdir(root), []);
});

test("a folder that is swapped for a link at every moment never leads outside, nor keeps mom for ever", async (t) => {
  const { root, outside, remove, ensureOutside } = await createScene(t);
  const inner = join(root, "gone/inner");
  await mkdir(inner);
  for (let n = 0; n < 200; n++) await writeFile(join(inner, `file-${n}`), "");
  let isOver = false;
  const swap = (async () => {
    while (!isOver) {
      await rename(inner, `${inner}-away`).catch(() => undefined);
      await symlink(outside, inner).catch(() => undefined);
      await rename(`${inner}-away`, inner).catch(() => undefined);
    }
  })();
  // It may go, or be given up because it fills again and again.
  await remove().catch((error: { code: string }) => assert.equal(error.code, "STORE_FILE_REFUSED"));
  isOver = true;
  await swap;
  await ensureOutside();
  for (const name of await readdir(root)) await remove(name);
  assert.deepEqual(await readdir(root), []);
  await ensureOutside();
});

test("what is closed to mom is told", { skip: process.getuid?.() === 0 }, async (t) => {
  const { root, remove } = await createScene(t);
  await mkdir(join(root, "gone/closed"));
  await writeFile(join(root, "gone/closed/file"), "");
  await chmod(join(root, "gone/closed"), 0o500);
  await assert.rejects(remove(), { code: "STORE_FILE_REFUSED" });
});
