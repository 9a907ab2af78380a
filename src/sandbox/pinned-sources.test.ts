/** What is opened for a sandbox stays what it was, and is never reached through a link. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { mkdir, readdir, rename, symlink } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createTempFolder } from "../../test/fakes/temp-folder.ts";
import { openPins } from "./pinned-sources.ts";
import { closeDescriptors } from "./spawn-child.ts";

const skip = process.platform === "linux" ? false : "descriptors can be mounted on Linux only";

async function createWorkspace(context: TestContext) {
  const { dir, put } = await createTempFolder(context);
  await put("ws/slack/C1/log.jsonl", "log");
  await put("secret/C1/log.jsonl", "secret");
  const below = join(dir, "ws");
  const pin = (path: string) => ({ source: join(below, path), below });
  return { dir, pin };
}
const countDescriptors = () => readdirSync("/proc/self/fd").length;

test("a descriptor goes on meaning the folder that was opened", { skip }, async (context) => {
  const { dir, pin } = await createWorkspace(context);
  const [folder = -1, record = -1] = await openPins([pin("slack/C1"), pin("slack/C1/log.jsonl")]);
  context.after(() => closeDescriptors([folder, record]));
  await rename(join(dir, "ws/slack"), join(dir, "ws/moved"));
  await symlink("../secret", join(dir, "ws/slack"));
  assert.deepEqual(await readdir(`/proc/self/fd/${folder}/../../moved`), ["C1"]);
});

test("a link on the way, or in its place, or something odd is refused, and nothing stays open", {
  skip,
}, async (context) => {
  const { dir, pin } = await createWorkspace(context);
  await symlink("../secret", join(dir, "ws/linked"));
  await symlink("log.jsonl", join(dir, "ws/slack/C1/context.jsonl"));
  await mkdir(join(dir, "ws/empty"));
  const before = countDescriptors();
  for (const path of ["linked/C1", "linked", "slack/C1/context.jsonl", "missing", "slack/C1/log.jsonl/x"]) {
    const opened = openPins([pin("slack/C1"), pin(path)]);
    await assert.rejects(opened, { code: "SANDBOX_FAILED", retryable: true }, path);
  }
  assert.equal(countDescriptors(), before);
});
