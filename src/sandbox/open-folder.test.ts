import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createTempFolder } from "../../test/fakes/temp-folder.ts";
import { ensureFolder, openFolder } from "./open-folder.ts";
import { createPathGuard } from "./path-guard.ts";

const skip = process.platform === "linux" ? false : "entries of open folders can be named on Linux only";

test("what is done in an open folder stays there when its name becomes a link", { skip }, async (context) => {
  const { dir } = await createTempFolder(context);
  const [root, outside] = [join(dir, "root"), join(dir, "outside")];
  for (const path of [join(root, "sub"), outside]) await mkdir(path, { recursive: true });
  const guard = createPathGuard({ cwd: root, roots: [root], hidden: [] });
  const folder = await openFolder(join(root, "sub"), "sub", guard);
  await rename(join(root, "sub"), join(root, "moved"));
  await symlink(outside, join(root, "sub"));
  await writeFile(folder.entry("file"), "text");
  await folder.close();
  assert.deepEqual(await readdir(outside), []);
  assert.equal(await readFile(join(root, "moved/file"), "utf8"), "text");
});

test("a folder that has become a link since it was checked is refused", { skip }, async (context) => {
  const { dir } = await createTempFolder(context);
  const [root, outside] = [join(dir, "root"), join(dir, "outside")];
  for (const path of [join(root, "sub"), outside]) await mkdir(path, { recursive: true });
  const guard = createPathGuard({ cwd: root, roots: [root], hidden: [] });
  await rename(join(root, "sub"), join(root, "moved"));
  await symlink(outside, join(root, "sub"));
  // The folder itself, one on the way, and one to be made below.
  await assert.rejects(openFolder(join(root, "sub"), "sub", guard), { code: "ENOTDIR" });
  await mkdir(join(outside, "deep"));
  await assert.rejects(openFolder(join(root, "sub/deep"), "sub/deep", guard), { code: "PATH_REFUSED" });
  await assert.rejects(ensureFolder(join(root, "sub/deep/new"), "sub/deep/new", guard), { code: "PATH_REFUSED" });
  assert.deepEqual(await readdir(join(outside, "deep")), []);
});
