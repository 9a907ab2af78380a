/** Files for custom tools: only regular ones, below the data directory, whatever programs of the workspace put in the way. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { lstat, mkdir, readdir, readFile, rm, stat, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createTempFolder } from "../../../test/fakes/temp-folder.ts";
import { createToolApi } from "./tool-api.ts";

async function setUp(context: TestContext) {
  const { dir, put } = await createTempFolder(context);
  const dataDir = join(dir, "data");
  await mkdir(join(dataDir, "workspace"), { recursive: true });
  const exec = () => assert.fail("no program is run");
  return { dir, dataDir, put, api: createToolApi({ dataDir, closedPaths: [join(dataDir, "config.json")], exec }) };
}

test("a pipe, a folder and what is too large are refused, and nothing waits for them", async (context) => {
  const { dataDir, put, api } = await setUp(context);
  execFileSync("mkfifo", [join(dataDir, "workspace/pipe")]);
  await assert.rejects(api.readFile("workspace/pipe"), { code: "HOST_TOOL_FILE", message: /not a regular file/ });
  await assert.rejects(api.writeFile("workspace/pipe", "x"), { code: "HOST_TOOL_FILE" });
  await assert.rejects(api.readFile("workspace"), { code: "HOST_TOOL_FILE" });
  await assert.rejects(api.writeFile("workspace", "x"), { code: "HOST_TOOL_FILE" });
  await truncate(await put("data/big", ""), 10 * 1024 * 1024 + 1);
  await assert.rejects(api.readFile("big"), { code: "HOST_TOOL_FILE", message: /larger than 10 MB/ });
  await truncate(join(dataDir, "big"), 10 * 1024 * 1024);
  assert.equal((await api.readFile("big")).length, 10 * 1024 * 1024);
  await assert.rejects(api.readFile("workspace/none/at-all"), { code: "ENOENT" });
});

test("a link inside the data directory is followed, one out of it is not", async (context) => {
  const { dir, dataDir, put, api } = await setUp(context);
  await put("secret", "secret");
  await put("data/notes.txt", "mine");
  await symlink("../notes.txt", join(dataDir, "workspace/notes"));
  await symlink(join(dir, "secret"), join(dataDir, "workspace/secret"));
  await symlink(join(dir, "made"), join(dataDir, "workspace/made"));
  assert.equal(await api.readFile("workspace/notes"), "mine");
  await assert.rejects(api.readFile("workspace/secret"), { code: "HOST_TOOL_PATH" });
  await assert.rejects(api.writeFile("workspace/secret", "x"), { code: "HOST_TOOL_PATH" });
  for (const path of ["workspace/made", "workspace/made/x"]) await assert.rejects(api.writeFile(path, "x"));
  assert.equal(await readFile(join(dir, "secret"), "utf8"), "secret");
  await assert.rejects(lstat(join(dir, "made")), { code: "ENOENT" });
});

test("a folder that is swapped for a link meanwhile leads nowhere else", async (context) => {
  const { dir, dataDir, put, api } = await setUp(context);
  await put("outside/f", "outside");
  const folder = join(dataDir, "workspace/d");
  let isOver = false;
  // A file that is written just now may keep the folder in place for one round.
  const clear = () => rm(folder, { recursive: true, force: true }).catch(() => undefined);
  const swap = async () => {
    while (!isOver) {
      await clear();
      await symlink(join(dir, "outside"), folder).catch(() => undefined);
      await clear();
      await put("data/workspace/d/f", "inside").catch(() => undefined);
    }
  };
  const swapping = swap();
  try {
    for (let n = 0; n < 300; n++) {
      assert.notEqual(await api.readFile("workspace/d/f").catch(() => undefined), "outside");
      if (n % 10 === 0) await api.writeFile("workspace/d/e/new", "written").catch(() => undefined);
    }
  } finally {
    isOver = true;
    await swapping;
  }
  assert.equal(await readFile(join(dir, "outside/f"), "utf8"), "outside");
  assert.deepEqual(await readdir(join(dir, "outside")), ["f"]);
});

test("writing keeps the rights of what is replaced, and puts nothing aside that is in the way", async (context) => {
  const { dataDir, api } = await setUp(context);
  await writeFile(join(dataDir, "token"), "old", { mode: 0o600 });
  await api.writeFile("token", "new");
  assert.equal((await stat(join(dataDir, "token"))).mode & 0o777, 0o600);
  await assert.rejects(api.writeFile("token/x", "x"), { code: "ENOTDIR" });
  assert.equal(await readFile(join(dataDir, "token"), "utf8"), "new");
});
