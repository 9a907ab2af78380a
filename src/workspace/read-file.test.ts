import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmod, mkdir, symlink, truncate } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { createTempFolder } from "../../test/fakes/temp-folder.ts";
import { isInside, readWorkspaceFile } from "./read-file.ts";

const limits = { maxBytes: 1000 };

async function read(root: string, path: string, given = limits) {
  const result = await readWorkspaceFile(root, path, given);
  return result.type === "text" ? result : assert.fail(`${path}: ${JSON.stringify(result)}`);
}

async function causeOf(root: string, path: string, given: Parameters<typeof readWorkspaceFile>[2] = limits) {
  const result = await readWorkspaceFile(root, path, given);
  return result.type === "unusable" ? result.cause : result.type;
}

test("a text is read whole, without byte order mark and carriage returns", async (t) => {
  const { dir, put } = await createTempFolder(t);
  await put("a/b.md", "\ufeffgrüße\r\n🦉\n");
  const file = await read(dir, "a/b.md");
  assert.deepEqual([file.text, file.tail, file.isWhole, file.totalBytes], ["grüße\n🦉\n", "", true, 17]);
});

test("an empty file is an empty text, and one that is not there is absent", async (t) => {
  const { dir, put } = await createTempFolder(t);
  await put("empty.md", "");
  assert.equal((await read(dir, "empty.md")).text, "");
  assert.equal(await causeOf(dir, "missing.md"), "absent");
  assert.equal(await causeOf(dir, "empty.md/below.md"), "absent");
  assert.equal(await causeOf(join(dir, "no-root"), "x.md"), "absent");
});

test("of a long file only the start and the end are read, and no character is cut", async (t) => {
  const { dir, put } = await createTempFolder(t);
  for (const character of ["x", "ü", "€", "🦉"]) {
    await put("long.md", character.repeat(1000));
    for (let maxBytes = 40; maxBytes < 48; maxBytes++) {
      const file = await read(dir, "long.md", { maxBytes, tailBytes: 11 } as typeof limits);
      assert.match(file.text, new RegExp(`^(${character})+$`, "u"));
      assert.match(file.tail, new RegExp(`^(${character})+$`, "u"));
      assert.equal(file.isWhole, false);
      assert.ok(Buffer.byteLength(file.text) > maxBytes - 11 - 4);
      assert.ok(Buffer.byteLength(file.text) <= maxBytes - 11);
    }
  }
});

test("a file of gigabytes costs what is asked for", async (t) => {
  const { dir, put } = await createTempFolder(t);
  const path = await put("huge.md", "start");
  await truncate(path, 4 * 2 ** 30);
  const before = process.memoryUsage().rss;
  // A hole reads as NUL bytes, so it is refused after the first thousand.
  assert.equal(await causeOf(dir, "huge.md"), "binary");
  assert.ok(process.memoryUsage().rss - before < 50 * 2 ** 20);
});

test("what is no text is refused", async (t) => {
  const { dir, put } = await createTempFolder(t);
  await put("nul.md", Buffer.from([65, 0, 66]));
  await put("latin1.md", Buffer.from("gr\xfc\xdfe", "latin1"));
  await put("half.md", Buffer.from("🦉").subarray(0, 3));
  assert.equal(await causeOf(dir, "nul.md"), "binary");
  assert.equal(await causeOf(dir, "latin1.md"), "not-utf8");
  assert.equal(await causeOf(dir, "half.md"), "not-utf8");
});

test("folders, pipes and sockets are refused without waiting", async (t) => {
  const { dir } = await createTempFolder(t);
  await mkdir(join(dir, "folder.md"));
  execFileSync("mkfifo", [join(dir, "pipe.md")]);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(join(dir, "socket.md"), resolve));
  t.after(() => server.close());
  for (const name of ["folder.md", "pipe.md", "socket.md"]) assert.equal(await causeOf(dir, name), "not-regular", name);
});

test("links are followed inside the root and refused when they lead out of it", async (t) => {
  const { dir, put } = await createTempFolder(t);
  const root = join(dir, "root");
  await put("secret.md", "secret");
  await put("root/real.md", "inside");
  await put("root-beside/x.md", "a sibling whose name starts like the root");
  await symlink("real.md", join(root, "near.md"));
  await symlink("../secret.md", join(root, "out.md"));
  await symlink(join(dir, "secret.md"), join(root, "absolute.md"));
  await symlink("..", join(root, "up"));
  await symlink("../root-beside", join(root, "sibling"));
  await symlink("/dev/zero", join(root, "device.md"));
  await symlink("loop.md", join(root, "loop.md"));
  await symlink("nothing.md", join(root, "dangling.md"));
  assert.equal((await read(root, "near.md")).text, "inside");
  for (const path of [
    "out.md",
    "absolute.md",
    "up/secret.md",
    "sibling/x.md",
    "device.md",
    "loop.md",
    "../secret.md",
  ]) {
    assert.equal(await causeOf(root, path), "outside", path);
  }
  assert.equal(await causeOf(root, join(dir, "root/real.md")), "outside");
  assert.equal(await causeOf(root, "real.md\0"), "outside");
  assert.equal(await causeOf(root, "dangling.md"), "absent");
});

test("where links are refused, one that stays inside is refused too", async (t) => {
  const { dir, put } = await createTempFolder(t);
  await put("real/a.md", "a");
  await symlink("real", join(dir, "folder"));
  await symlink("a.md", join(dir, "real/link.md"));
  const strict = { ...limits, refuseLinks: true as const };
  assert.equal(await causeOf(dir, "real/a.md", strict), "text");
  assert.equal(await causeOf(dir, "folder/a.md", strict), "outside");
  assert.equal(await causeOf(dir, "real/link.md", strict), "outside");
});

test("the root itself may be a link", async (t) => {
  const { dir, put } = await createTempFolder(t);
  await put("real/a.md", "a");
  await symlink("real", join(dir, "root"));
  assert.equal((await read(join(dir, "root"), "a.md")).text, "a");
});

test("what the system does not let us read is said to be so", async (t) => {
  const { dir, put } = await createTempFolder(t);
  assert.equal(await causeOf(dir, `${"x".repeat(300)}.md`), "unreadable");
  if (process.getuid?.() === 0) return;
  await chmod(await put("closed.md", "closed"), 0);
  assert.equal(await causeOf(dir, "closed.md"), "unreadable");
});

test("inside is the folder and what is below it", () => {
  for (const path of ["/a", "/a/b", "/a/..b", "/a/b/c"]) assert.ok(isInside(path, "/a"), path);
  for (const path of ["/", "/b", "/ab", "/a/../b"]) assert.ok(!isInside(path, "/a"), path);
});
