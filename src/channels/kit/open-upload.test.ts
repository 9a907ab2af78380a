/** Real files, links and pipes: what an agent could have put where a file was to be sent from. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmod, mkdir, rename, symlink, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { createTempFolder } from "../../../test/fakes/temp-folder.ts";
import type { DeliveryId } from "../../contracts/ids.ts";
import { openUpload } from "./open-upload.ts";

const file = (path: string) => ({ deliveryId: "d" as DeliveryId, path, filename: "report.txt" });

test("a plain file is read whole, up to the limit and not beyond", async (t) => {
  const { dir, put } = await createTempFolder(t);
  const path = await put("a/report.txt", "content");
  const opened = await openUpload(file(path), 7);
  assert.ok(opened.type === "open");
  assert.equal(opened.bytes.toString(), "content");
  assert.equal(opened.size, 7);
  const refused = await openUpload(file(path), 6);
  assert.deepEqual(refused, { type: "rejected", reason: "report.txt has 7 B, and at most 6 B can be uploaded" });
  const empty = await openUpload(file(await put("empty", "")), 10);
  assert.ok(empty.type === "open" && empty.size === 0);
  const large = await put("large", Buffer.alloc(300_000, "x"));
  const whole = await openUpload(file(large), 1_000_000);
  assert.ok(whole.type === "open" && whole.bytes.equals(Buffer.alloc(300_000, "x")));
  // Sparse. That the size is told shows that it was not read to find out.
  await truncate(join(dir, "large"), 2 ** 40);
  const huge = await openUpload(file(large), 1_000_000);
  assert.ok(huge.type === "rejected" && /1\.0 TiB/.test(huge.reason));
});

test("no link is followed, neither in its place nor on the way to it", async (t) => {
  const { dir, put } = await createTempFolder(t);
  const secret = await put("secret/key", "secret");
  await mkdir(join(dir, "work"));
  await symlink(secret, join(dir, "work", "key"));
  const direct = await openUpload(file(join(dir, "work", "key")), 100);
  assert.ok(direct.type === "rejected" && /^report\.txt is a link/.test(direct.reason));
  await symlink(join(dir, "secret"), join(dir, "work", "folder"));
  const onTheWay = await openUpload(file(join(dir, "work", "folder", "key")), 100);
  assert.ok(onTheWay.type === "rejected" && /folder on the way/.test(onTheWay.reason));
  await rename(join(dir, "work"), join(dir, "old"));
  await symlink(join(dir, "secret"), join(dir, "work"));
  assert.equal((await openUpload(file(join(dir, "work", "key")), 100)).type, "rejected");
});

test("what is no file is refused without waiting for it", async (t) => {
  const { dir } = await createTempFolder(t);
  const path = (name: string) => join(dir, name);
  await mkdir(path("folder"));
  execFileSync("mkfifo", [path("pipe")]);
  const server = createServer().listen(path("socket"));
  t.after(() => server.close());
  for (const name of ["folder", "pipe", "socket", "missing", "missing/too"]) {
    assert.equal((await openUpload(file(path(name)), 100)).type, "rejected", name);
  }
  assert.equal((await openUpload(file("/dev/zero"), 100)).type, "rejected");
});

test("a file that mom may not read is refused", async (t) => {
  if (process.getuid?.() === 0) return t.skip("root may read everything");
  const { dir } = await createTempFolder(t);
  await writeFile(join(dir, "own"), "x");
  await chmod(join(dir, "own"), 0);
  const refused = await openUpload(file(join(dir, "own")), 100);
  assert.deepEqual(refused, { type: "rejected", reason: "report.txt cannot be read (EACCES)" });
});
