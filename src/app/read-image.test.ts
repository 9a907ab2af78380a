import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { readImage } from "./read-image.ts";

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
let dir = "";
before(async () => {
  dir = await mkdtemp(join(tmpdir(), "mom-image-"));
  await writeFile(join(dir, "a.bin"), png);
  await writeFile(join(dir, "b.png"), "not a picture");
  await writeFile(join(dir, "big.png"), Buffer.concat([png, Buffer.alloc(5 * 1024 * 1024)]));
  await writeFile(join(dir, "empty.png"), "");
  await symlink("/etc/hostname", join(dir, "link.png"));
  await mkdir(join(dir, "real"));
  await writeFile(join(dir, "real", "c.png"), png);
  await symlink(join(dir, "real"), join(dir, "led"));
  execFileSync("mkfifo", [join(dir, "pipe.png")]);
});
after(() => rm(dir, { recursive: true, force: true }));

const read = (name: string) => readImage(dir, { filename: name, localPath: name });

test("a picture is one by its bytes, whatever it is called", async () => {
  assert.deepEqual(await read("a.bin"), { type: "image", mimeType: "image/png", data: png.toString("base64") });
});

test("nothing is read through a folder that is a link", async () => {
  assert.ok(await read("real/c.png"));
  assert.equal(await read("led/c.png"), undefined);
});

for (const name of ["b.png", "big.png", "empty.png", "link.png", "pipe.png", "missing.png", "../outside.png"]) {
  test(`${name} is none`, async () => assert.equal(await read(name), undefined));
}
