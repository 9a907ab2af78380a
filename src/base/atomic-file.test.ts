import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { writeFileAtomic } from "./atomic-file.ts";

test("a file is replaced whole, with its mode, and a failure leaves neither half nor litter", async () => {
  const folder = await mkdtemp(join(tmpdir(), "mom-atomic-"));
  try {
    const path = join(folder, "a.json");
    await writeFile(path, "old");
    await writeFileAtomic(path, "new", { mode: 0o600 });
    assert.equal(await readFile(path, "utf8"), "new");
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    await assert.rejects(writeFileAtomic(folder, "onto a folder"));
    await assert.rejects(writeFileAtomic(join(folder, "missing/x"), "nowhere"), { code: "ENOENT" });
    assert.deepEqual(await readdir(folder), ["a.json"]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("what belongs to the file is done before it gets its name", async () => {
  const folder = await mkdtemp(join(tmpdir(), "mom-atomic-"));
  try {
    const path = join(folder, "a.json");
    await writeFile(path, "old");
    await writeFileAtomic(path, "new", {
      async dress(file) {
        assert.equal(await readFile(path, "utf8"), "old");
        await file.chmod(0o640);
      },
    });
    assert.equal(await readFile(path, "utf8"), "new");
    assert.equal((await stat(path)).mode & 0o777, 0o640);
  } finally {
    await rm(folder, { recursive: true });
  }
});
