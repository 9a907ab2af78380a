/** Real ownership, so root only; an ordinary mom has nothing to give, which the last test shows to everybody. */
import assert from "node:assert/strict";
import { chmod, chown, link, lstat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createRecordingLog } from "../../test/fakes/log.ts";
import { createTempFolder } from "../../test/fakes/temp-folder.ts";
import { createSandboxUser } from "./sandbox-user.ts";
import { createFolderFinder } from "./scope-folders.ts";

const isRoot = process.getuid?.() === 0;
const skip = isRoot ? false : "only root can give files away";
const uid = 65_534;
const ownerOf = async (path: string) => (await lstat(path)).uid;

test("gives away what is root's below a root, and nothing else", { skip }, async (context) => {
  const { dir, put } = await createTempFolder(context);
  const root = join(dir, "root");
  const plain = await put("root/deep/er/plain", "x");
  const others = await put("root/others", "x");
  await chown(others, 1234, 1234);
  const hidden = await put("root/state/secret", "x");
  const linked = await put("outside/linked", "x");
  await link(linked, join(root, "alias"));
  await symlink(linked, join(root, "pointer"));
  const record = await put("root/log.jsonl", "x");
  await chmod(record, 0o600);
  const user = createSandboxUser({ log: createRecordingLog(), uid, folders: createFolderFinder() });
  const isSealed = (path: string) => path === record;
  await user.ensureOwner({ cwd: root, roots: [root], hidden: [join(root, "state")], isSealed });
  assert.deepEqual(await Promise.all([root, join(root, "deep"), plain].map(ownerOf)), [uid, uid, uid]);
  assert.equal(await ownerOf(others), 1234);
  assert.deepEqual(await Promise.all([hidden, join(root, "state"), linked].map(ownerOf)), [0, 0, 0]);
  assert.equal(await ownerOf(record), 0);
  assert.equal((await lstat(record)).mode & 0o777, 0o644);
});

test("gives what mom adds later at the top, and leaves the system's folders alone", { skip }, async (context) => {
  const { dir, put } = await createTempFolder(context);
  const log = createRecordingLog();
  const user = createSandboxUser({ log, uid, folders: createFolderFinder() });
  const scope = { cwd: dir, roots: [dir], hidden: [] };
  await user.ensureOwner(scope);
  for (const name of ["new", "attachments/a", "attachments/b"]) {
    const path = await put(name, "x");
    await user.ensureOwner(scope);
    assert.equal(await ownerOf(path), uid, name);
  }
  const before = await ownerOf("/etc");
  await user.ensureOwner({ ...scope, roots: ["/etc"] });
  assert.equal(await ownerOf("/etc"), before);
  assert.match(log.lines[0]?.text ?? "", /system/);
});

test("gives nothing away behind a link that a program laid", { skip }, async (context) => {
  const { dir, put } = await createTempFolder(context);
  const workspace = join(dir, "workspace");
  const foreign = await put("foreign/slack/C2/secret", "x");
  await put("workspace/notes", "x");
  await symlink("../foreign", join(workspace, "channels"));
  const channel = join(workspace, "channels/slack/C2");
  const give = (agentFolders: string[]) =>
    createSandboxUser({ log: createRecordingLog(), uid, folders: createFolderFinder() }).ensureOwner({
      cwd: channel,
      roots: [channel],
      hidden: [],
      agentFolders,
    });
  await assert.rejects(give([workspace]), { code: "FOLDER_LINKED" });
  assert.equal(await ownerOf(foreign), 0);
  await give([]);
  assert.equal(await ownerOf(foreign), uid, "so it was the guard");
});

test("does nothing where mom is no root", { skip: isRoot ? "mom is root here" : false }, async (context) => {
  const { dir } = await createTempFolder(context);
  const user = createSandboxUser({ log: createRecordingLog(), uid, folders: createFolderFinder() });
  assert.equal(user.owner, undefined);
  await user.ensureOwner({ cwd: dir, roots: [dir], hidden: [] });
});
