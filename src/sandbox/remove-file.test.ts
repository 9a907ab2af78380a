import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, readdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { it } from "node:test";
import { createToolWorkspace } from "../../test/fakes/tool-workspace.ts";

it("removes regular files only, none that is sealed, hidden or outside", async (t) => {
  const { dir, hiddenDir, executor, put } = await createToolWorkspace(t);
  const isSealed = (path: string) => path.endsWith("log.jsonl");
  const operations = executor.open({ cwd: dir, roots: [dir], hidden: [hiddenDir], isSealed });
  for (const path of ["gone", "log.jsonl", "state/auth.json", "folder/kept"]) await put(path, "x");
  await symlink("/etc/hostname", join(dir, "way-out"));
  execFileSync("mkfifo", [join(dir, "pipe")]);
  await mkdir(join(dir, "empty"));
  await operations.removeFile("gone");
  assert.equal(await operations.stat("gone"), undefined);
  for (const [path, code] of [
    ["gone", "FILE_NOT_FOUND"],
    ["log.jsonl", "PATH_SEALED"],
    ["state/auth.json", "PATH_REFUSED"],
    ["way-out", "PATH_REFUSED"],
    ["../x", "PATH_REFUSED"],
    ["empty", "FILE_NOT_REGULAR"],
    ["folder", "FILE_NOT_REGULAR"],
    ["pipe", "FILE_NOT_REGULAR"],
  ] as const) {
    await assert.rejects(operations.removeFile(path), { code }, path);
  }
  assert.deepEqual((await readdir(dir)).sort(), ["empty", "folder", "log.jsonl", "pipe", "state", "way-out"]);
});
