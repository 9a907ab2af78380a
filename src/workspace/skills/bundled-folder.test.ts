/** The bundled skills are found from source and from a build, and are as good as mom asks others to be. */
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { findBundledSkills } from "./bundled-folder.ts";
import { parseSkill } from "./parse-skill.ts";
import { scanText } from "./scan-text.ts";

test("the folder is that of the package, however deep the code lies in it", async () => {
  const root = await mkdtemp(join(tmpdir(), "mom-package-"));
  try {
    await mkdir(join(root, "dist/chunks"), { recursive: true });
    await writeFile(join(root, "package.json"), "{}");
    assert.equal(findBundledSkills(join(root, "dist/chunks")), undefined);
    await mkdir(join(root, "skills"));
    for (const start of ["dist/chunks", "dist", "."]) {
      assert.equal(findBundledSkills(join(root, start)), join(root, "skills"));
    }
  } finally {
    await rm(root, { recursive: true });
  }
});

test("every bundled skill is valid, short and clean", async () => {
  const folder = findBundledSkills();
  assert.ok(folder !== undefined);
  const names = await readdir(folder);
  assert.ok(names.includes("make-a-skill"));
  for (const name of names) {
    const text: string = await readFile(join(folder, name, "SKILL.md"), "utf8");
    assert.deepEqual(parseSkill(text, [name]).problems, [], name);
    assert.deepEqual(scanText(text), [], name);
    assert.ok(text.split("\n").length <= 60, name);
  }
});
