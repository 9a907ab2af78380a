/** What the contract suite does not ask of every executor: read-only folders, hard links, the workspace's short name. */
import assert from "node:assert/strict";
import { link, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createTempFolder } from "../../test/fakes/temp-folder.ts";
import { createPathGuard } from "./path-guard.ts";

test("the nearest folder decides whether a path may be written; a record never may", async (context) => {
  const { dir } = await createTempFolder(context);
  const at = (path: string) => join(dir, path);
  for (const path of ["work/skills/mine", "shared/drop"]) await mkdir(at(path), { recursive: true });
  const guard = createPathGuard({
    cwd: at("work"),
    roots: [at("work"), at("work/skills/mine"), at("shared/drop")],
    readOnly: [at("work/skills"), at("shared")],
    hidden: [],
    isSealed: (path) => path.endsWith("log.jsonl"),
  });
  for (const path of ["work/a", "work/skills/mine/a", "shared/drop/a"]) await guard.ensureWritable(at(path), path);
  for (const path of ["work/skills/a", "shared/a", "work/log.jsonl"]) {
    await guard.ensureAllowed(at(path), path);
    await assert.rejects(guard.ensureWritable(at(path), path), { code: "PATH_SEALED" }, path);
  }
  await assert.rejects(guard.ensureAllowed(at("else"), "else"), { code: "PATH_REFUSED" });
});

test("a hard link is refused to strangers, and to the owner where its other name is hidden", async (context) => {
  const { dir, put } = await createTempFolder(context);
  await put("work/own", "x");
  await put("state/auth.json", "x");
  await link(join(dir, "work/own"), join(dir, "work/twin"));
  await link(join(dir, "state/auth.json"), join(dir, "work/stolen"));
  const scope = { cwd: join(dir, "work"), roots: [join(dir, "work")], hidden: [join(dir, "state")] };
  const owner = createPathGuard(scope);
  assert.equal(await owner.resolve("own"), join(dir, "work/own"));
  await assert.rejects(owner.resolve("stolen"), { code: "PATH_REFUSED" });
  const stranger = createPathGuard({ ...scope, isShared: true });
  for (const path of ["own", "twin", "stolen"]) await assert.rejects(stranger.resolve(path), { code: "PATH_REFUSED" });
});

test("the first root has a short name where programs see it by that name", async (context) => {
  const { dir } = await createTempFolder(context);
  const scope = { cwd: dir, roots: [dir, "/else"], hidden: [] };
  const named = createPathGuard(scope, { hasWorkspaceName: true });
  assert.equal(await named.resolve("/workspace/a/b"), join(dir, "a/b"));
  assert.equal(await named.resolve("/workspace"), dir);
  for (const path of ["/workspace/../etc/passwd", "/workspaces/a"]) {
    await assert.rejects(named.resolve(path), { code: "PATH_REFUSED" });
  }
  await assert.rejects(createPathGuard(scope).resolve("/workspace/a"), { code: "PATH_REFUSED" });
  const real = createPathGuard({ ...scope, roots: [dir, "/workspace/x"] }, { hasWorkspaceName: true });
  assert.equal(await real.resolve("/workspace/x/a"), "/workspace/x/a");
});

test("a relative path means the working folder, whatever mom's own is called", async (context) => {
  const { dir } = await createTempFolder(context);
  await mkdir(join(dir, "chat"));
  const scope = { cwd: join(dir, "chat"), roots: [dir], hidden: [] };
  const original = process.cwd;
  context.after(() => {
    process.cwd = original;
  });
  process.cwd = () => "/workspace";
  const guard = createPathGuard(scope, { hasWorkspaceName: true });
  assert.equal(await guard.resolve("notes.txt"), join(dir, "chat/notes.txt"));
});
