/** The look at a database: every verdict, and that looking changes nothing. */
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { openDatabase } from "./database.ts";
import { inspectDatabase } from "./inspect-database.ts";
import { migrations } from "./migrations.ts";

let dir: string;
let path: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "mom-inspect-"));
  path = join(dir, "mom#1 ?.db");
});
afterEach(() => rm(dir, { recursive: true, force: true }));

test("a database at rest is sound, and no file appears beside it", async () => {
  openDatabase(path).close();
  assert.deepEqual(inspectDatabase(path), { type: "sound", schema: migrations.length });
  assert.deepEqual(await readdir(dir), ["mom#1 ?.db"]);
});

test("one that is in use is seen as it is now", () => {
  const db = openDatabase(path);
  try {
    assert.deepEqual(inspectDatabase(path), { type: "sound", schema: migrations.length });
    db.prepare("PRAGMA user_version = 99").run();
    assert.deepEqual(inspectDatabase(path), { type: "too-new", schema: 99, known: migrations.length });
  } finally {
    db.close();
  }
});

test("what is no database, or half of one, is damaged", async () => {
  assert.deepEqual(inspectDatabase(path), { type: "missing" });
  await writeFile(path, "this is no database, but long enough to be looked at".repeat(100));
  assert.equal(inspectDatabase(path).type, "damaged");
  await rm(path);
  openDatabase(path).close();
  await truncate(path, 8192);
  assert.equal(inspectDatabase(path).type, "damaged");
});
