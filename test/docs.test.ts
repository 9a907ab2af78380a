/** The documents agree with the source. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { checkDocs } from "../scripts/check-docs.ts";

test("every path and every error code in the documents is real, and every code is documented", () => {
  assert.deepEqual(checkDocs(join(import.meta.dirname, "..")), []);
});

function buildRepo(t: TestContext, files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), "mom-docs-"));
  t.after(() => rmSync(root, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

test("a path that is not there is found, in any document", (t) => {
  const root = buildRepo(t, {
    "README.md": "See `src/here.ts`, `docs/errors.md`, `config.json`, `npm test` and `./src/gone.ts`.",
    "docs/deep/more.md": "Look at `test/absent/` and\n```\n`src/in-a-block.ts`\n```\n",
    "docs/errors.md": "",
    "src/here.ts": "",
  });
  assert.deepEqual(checkDocs(root).sort(), [
    "README.md names src/gone.ts, which does not exist",
    "docs/deep/more.md names test/absent/, which does not exist",
  ]);
});

test("codes that only one side knows are found", (t) => {
  const root = buildRepo(t, {
    "docs/errors.md": "| code | meaning |\n|---|---|\n| `BOTH` | x |\n| `STALE` | x |\n",
    "src/a.ts": 'throw new StoreError("BOTH", "x");\nthrow new ConfigError(\n  "NEW_ONE",\n  "x",\n);',
    "src/a.test.ts": 'new StoreError("ONLY_IN_A_TEST", "x")',
  });
  assert.deepEqual(checkDocs(root), [
    "docs/errors.md lacks NEW_ONE (src/a.ts)",
    "docs/errors.md lists STALE, which no source constructs",
  ]);
});

test("a repository without the list of codes is told so", (t) => {
  assert.deepEqual(checkDocs(buildRepo(t, { "README.md": "" })), ["docs/errors.md does not exist"]);
});
