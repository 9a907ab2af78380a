import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createFakeClock } from "../../test/fakes/clock.ts";
import { createRecordingLog } from "../../test/fakes/log.ts";
import { createTempFolder } from "../../test/fakes/temp-folder.ts";
import { createBootstrapFiles } from "./bootstrap-files.ts";
import { createComplaints } from "./complaints.ts";
import { ensureWorkspace } from "./ensure-workspace.ts";

test("a new workspace has its files, the folders above it, and nothing beside it", async (t) => {
  const { dir } = await createTempFolder(t);
  const workspaceDir = join(dir, "agents/lab/workspace");
  await ensureWorkspace(workspaceDir);
  assert.deepEqual((await readdir(workspaceDir)).sort(), [
    "AGENTS.md",
    "BOOTSTRAP.md",
    "HEARTBEAT.md",
    "IDENTITY.md",
    "MEMORY.md",
    "README.md",
    "SOUL.md",
    "TOOLS.md",
    "USER.md",
  ]);
  assert.deepEqual(await readdir(join(dir, "agents/lab")), ["workspace"]);
  assert.equal((await stat(workspaceDir)).mode & 0o777, 0o700);
  assert.match(await readFile(join(workspaceDir, "BOOTSTRAP.md"), "utf8"), /delete BOOTSTRAP\.md/);
});

test("a fresh workspace shows the model the first meeting and nothing else", async (t) => {
  const { dir } = await createTempFolder(t);
  const workspaceDir = join(dir, "workspace");
  await ensureWorkspace(workspaceDir);
  const log = createRecordingLog();
  const files = createBootstrapFiles({ workspaceDir, clock: createFakeClock(), complain: createComplaints(log) });
  const show = async (sessionType: "main" | "group") =>
    (await files.bootstrapFiles({ sessionType, channelFolder: "channels/a/b", maxChars: 20_000 })).map(
      (file) => file.name,
    );
  assert.deepEqual([await show("main"), await show("group")], [["BOOTSTRAP.md"], []]);
  assert.deepEqual(log.lines, []);
});

test("a workspace that is there is left as it is, also what is missing from it", async (t) => {
  const { dir, put } = await createTempFolder(t);
  await put("workspace/SOUL.md", "mine");
  await ensureWorkspace(join(dir, "workspace"));
  assert.deepEqual(await readdir(join(dir, "workspace")), ["SOUL.md"]);
  await rm(join(dir, "workspace/SOUL.md"));
  await ensureWorkspace(join(dir, "workspace"));
  assert.deepEqual(await readdir(join(dir, "workspace")), []);
});

test("two that start at once make one workspace", async (t) => {
  const { dir } = await createTempFolder(t);
  await Promise.all(Array.from({ length: 4 }, () => ensureWorkspace(join(dir, "workspace"))));
  assert.deepEqual(await readdir(dir), ["workspace"]);
  assert.equal((await readdir(join(dir, "workspace"))).length, 9);
});

test("where none can be made it says so and leaves nothing behind", async (t) => {
  const { dir, put } = await createTempFolder(t);
  await put("file", "not a folder");
  await mkdir(join(dir, "sub"));
  for (const path of ["file", "file/workspace", "file/a/workspace"]) {
    await assert.rejects(ensureWorkspace(join(dir, path)), { code: "STORE_NOT_WRITABLE" }, path);
  }
  assert.deepEqual((await readdir(dir)).sort(), ["file", "sub"]);
});
