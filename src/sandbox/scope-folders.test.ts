/** Which links are followed to a scope's folders: the operator's, and none that a program may have laid. */
import assert from "node:assert/strict";
import { mkdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createRecordingLog } from "../../test/fakes/log.ts";
import { createTempFolder } from "../../test/fakes/temp-folder.ts";
import { createPathGuard } from "./path-guard.ts";
import { createFolderFinder } from "./scope-folders.ts";

test("a folder behind a link is left out where programs could lay it, and the log hears of it once", async (context) => {
  const { dir, put } = await createTempFolder(context);
  const at = (path: string) => join(dir, path);
  for (const path of ["ws/chat/a", "ws/real/skills/a", "secret/skills/a"]) await put(path, "x");
  await symlink(at("secret"), at("ws/linked"));
  const log = createRecordingLog();
  const finder = createFolderFinder({ log });
  const scope = {
    cwd: at("ws/chat"),
    roots: [at("ws/chat"), at("ws")],
    readOnly: [at("ws/linked"), at("ws/linked/skills"), at("ws/linked/missing"), at("ws/real/skills")],
    readOnlyInside: [at("ws/linked")],
    hidden: [],
  };
  const trusted = await finder.find({ ...scope, agentFolders: [at("ws")] });
  assert.deepEqual(trusted, {
    roots: [at("ws/chat"), at("ws")],
    readOnly: [at("ws/real/skills")],
    readOnlyInside: [],
    agentFolders: [at("ws")],
  });
  await finder.find({ ...scope, agentFolders: [at("ws")] });
  assert.deepEqual(
    log.lines.map(({ fields }) => fields["folder"]),
    [at("ws/linked"), at("ws/linked/skills"), at("ws/linked/missing")],
  );
  const { readOnly } = await finder.find(scope);
  assert.deepEqual(readOnly.slice(0, 2), [at("secret"), at("secret/skills")], "so it was the guard");
});

test("links of the operator are followed: to the agent's folder, beside it, and into it as far as it goes", async (context) => {
  const { dir, put } = await createTempFolder(context);
  const at = (path: string) => join(dir, path);
  for (const path of ["disk/ws/chat/a", "else/a"]) await put(path, "x");
  const links = { data: "disk", chat: "data/ws/chat", inside: "data/ws", beside: "inside/../../else" };
  for (const [name, target] of Object.entries(links)) await symlink(target, at(name));
  const finder = createFolderFinder();
  const scope = {
    cwd: at("data/ws/chat"),
    roots: [at("data/ws/chat"), at("chat"), at("beside")],
    hidden: [],
    agentFolders: [at("data/ws")],
  };
  assert.deepEqual((await finder.find(scope)).roots, [at("disk/ws/chat"), at("disk/ws/chat"), at("else")]);
  await rm(at("disk/ws/chat"), { recursive: true });
  await symlink("../../else", at("disk/ws/chat"));
  const changed = await finder.find({ ...scope, cwd: at("beside") });
  assert.deepEqual(changed.roots, [at("else")]);
});

test("a folder that is not there yet, and a link to nothing or to itself", async (context) => {
  const { dir } = await createTempFolder(context);
  const at = (path: string) => join(dir, path);
  await mkdir(at("ws"));
  await symlink("nowhere", at("ws/dangling"));
  await symlink("loop", at("ws/loop"));
  const roots = ["ws/new/deep", "ws/dangling", "ws/loop", "ws/loop/x"].map(at);
  const agentFolders = [at("ws"), at("ws/loop")];
  const found = await createFolderFinder().find({ cwd: at("ws/new"), roots, hidden: [], agentFolders });
  assert.deepEqual(found.roots, [at("ws/new/deep")]);
});

test("without its working folder nothing works, and the reason is said", async (context) => {
  const { dir, put } = await createTempFolder(context);
  await put("secret/a", "x");
  await mkdir(join(dir, "ws"));
  await symlink("../secret", join(dir, "ws/chat"));
  const chat = join(dir, "ws/chat");
  const scope = { cwd: chat, roots: [chat, join(dir, "ws")], hidden: [], agentFolders: [join(dir, "ws")] };
  const guard = createPathGuard(scope);
  for (const path of ["a", "new", ".", join(dir, "ws")]) {
    await assert.rejects(guard.resolve(path), { code: "FOLDER_LINKED" }, path);
  }
});
