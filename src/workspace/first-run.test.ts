import assert from "node:assert/strict";
import { lstat, mkdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createTempFolder } from "../../test/fakes/temp-folder.ts";
import { createFirstRun } from "./first-run.ts";

const complain = (path: string, problem: string) => assert.fail(`${path}: ${problem}`);

test("the first run lasts until BOOTSTRAP.md is gone, whoever removes it", async (t) => {
  const { dir, put } = await createTempFolder(t);
  const firstRun = createFirstRun({ workspaceDir: dir, complain });
  assert.equal(await firstRun.isFirstRun(), false);
  await firstRun.endFirstRun();
  await put("BOOTSTRAP.md", "hello");
  assert.equal(await firstRun.isFirstRun(), true);
  await Promise.all([firstRun.endFirstRun(), firstRun.endFirstRun()]);
  assert.equal(await firstRun.isFirstRun(), false);
});

test("only a regular file is a first run, and only that is removed", async (t) => {
  const { dir, put } = await createTempFolder(t);
  const firstRun = createFirstRun({ workspaceDir: dir, complain });
  const path = join(dir, "BOOTSTRAP.md");
  await mkdir(path);
  await firstRun.endFirstRun();
  assert.ok((await lstat(path)).isDirectory());
  await rm(path, { recursive: true });
  await symlink(await put("other.md", "x"), path);
  assert.equal(await firstRun.isFirstRun(), false);
  await firstRun.endFirstRun();
  assert.ok((await lstat(path)).isSymbolicLink());
});
