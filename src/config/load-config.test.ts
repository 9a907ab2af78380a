/** The config on disk: the first start, and every way a data directory can be unusable. */
import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { z } from "zod";
import { saveConfigText } from "./config-files.ts";
import { loadConfig } from "./load-config.ts";

const schema = z.object({ name: z.string().default("mom") });
const defaultText = "{\n  // a first config\n}\n";
const deps = { schema, env: {}, defaultText };
const asRoot = process.getuid?.() === 0 ? "root may read and write everything" : false;

let base: string;
let dir: string;
before(async () => {
  base = await mkdtemp(join(tmpdir(), "mom-config-"));
});
after(() => rm(base, { recursive: true, force: true }));
beforeEach(async () => {
  dir = await mkdtemp(join(base, "case-"));
});

describe("the first start", () => {
  test("makes the directory and a commented config that only the owner can read", async () => {
    const loaded = await loadConfig(join(dir, "new", "data"), deps);
    assert.ok(loaded.type === "ok");
    assert.equal(loaded.created, true);
    assert.deepEqual(loaded.config, { name: "mom" });
    assert.equal(await readFile(loaded.path, "utf8"), defaultText);
    assert.equal((await stat(loaded.path)).mode & 0o777, 0o600);
  });

  test("leaves a config that is there as it is", async () => {
    await writeFile(join(dir, "config.json"), "{ name: 'x' }");
    const loaded = await loadConfig(dir, deps);
    assert.equal(loaded.created, false);
    assert.equal(await readFile(loaded.path, "utf8"), "{ name: 'x' }");
  });

  test("commands that only read make nothing", async () => {
    await assert.rejects(loadConfig(join(dir, "none"), { schema, env: {} }), {
      code: "CONFIG_MISSING",
      message: `There is no ${join(dir, "none", "config.json")}.`,
    });
    await assert.rejects(stat(join(dir, "none")), { code: "ENOENT" });
  });
});

test("a $file is read from the folder of the config", async () => {
  await mkdir(join(dir, "keys"));
  await writeFile(join(dir, "keys", "name"), "from file\n");
  await writeFile(join(dir, "config.json"), '{ name: { $file: "keys/name" } }');
  const loaded = await loadConfig(dir, deps);
  assert.ok(loaded.type === "ok");
  assert.equal(loaded.config.name, "from file");
});

test("a $file that is a folder, a device or too large is a problem", async () => {
  await writeFile(join(dir, "large"), Buffer.alloc(1024 * 1024 + 1));
  for (const [file, why] of [
    [".", /it is a folder/],
    ["/dev/zero", /not a regular file/],
    ["large", /larger than/],
  ] as const) {
    await writeFile(join(dir, "config.json"), JSON.stringify({ name: { $file: file } }));
    const loaded = await loadConfig(dir, deps);
    assert.ok(loaded.type === "invalid");
    assert.match(loaded.problems[0]?.message ?? "", why);
  }
});

describe("an unusable directory is an error that names it and the fix", () => {
  test("a file in place of the directory", async () => {
    const file = join(dir, "file");
    await writeFile(file, "");
    for (const place of [file, join(file, "deeper")]) {
      await assert.rejects(loadConfig(place, deps), (error: Error & { code?: string; hint?: string }) => {
        assert.equal(error.code, "CONFIG_DIR_INVALID");
        assert.ok(error.message.includes(place));
        assert.match(error.hint ?? "", /Name a folder/);
        return true;
      });
    }
  });

  test("a directory in place of the file", async () => {
    await mkdir(join(dir, "config.json"));
    await assert.rejects(loadConfig(dir, deps), {
      code: "CONFIG_UNREADABLE",
      message: `${join(dir, "config.json")} cannot be read: it is a folder`,
    });
  });

  test("a file that is not text", async () => {
    await writeFile(join(dir, "config.json"), Buffer.from([0xff, 0xfe, 0x7b, 0x00]));
    await assert.rejects(loadConfig(dir, deps), { code: "CONFIG_UNREADABLE", message: /not UTF-8 text/ });
  });

  test("a file that may not be read", { skip: asRoot }, async () => {
    await writeFile(join(dir, "config.json"), "{}");
    await chmod(join(dir, "config.json"), 0);
    await assert.rejects(loadConfig(dir, deps), { code: "CONFIG_UNREADABLE", hint: /chmod u\+r/ });
  });

  test("a directory that may not be written", { skip: asRoot }, async () => {
    await chmod(dir, 0o500);
    await assert.rejects(loadConfig(dir, deps), { code: "CONFIG_DIR_NOT_WRITABLE", hint: /write access/ });
  });

  test("a file system that takes no new folders", async () => {
    // /proc refuses them to everybody, root included.
    await assert.rejects(loadConfig("/proc/mom-data", deps), {
      code: "CONFIG_DIR_NOT_WRITABLE",
      message: /^\/proc\/mom-data\/config\.json cannot be written/,
    });
  });
});

test("saving keeps permissions and goes through a link", async () => {
  const real = join(dir, "real.json");
  await writeFile(real, "{}");
  await chmod(real, 0o640);
  await symlink(real, join(dir, "config.json"));
  await saveConfigText(dir, "{ name: 'new' }");
  assert.equal(await readFile(real, "utf8"), "{ name: 'new' }");
  assert.equal((await stat(real)).mode & 0o777, 0o640);
  const loaded = await loadConfig(dir, deps);
  assert.ok(loaded.type === "ok");
  assert.equal(loaded.config.name, "new");
});
