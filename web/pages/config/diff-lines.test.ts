/** Lines of a diff. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { diffLines } from "./diff-lines.ts";

test("the head of the diff is left out, its lines have kinds", () => {
  const diff = "===\n--- config.json\tin use\n+++ config.json\tedited\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n";
  assert.deepEqual(
    diffLines(diff).map(({ type }) => type),
    ["place", "same", "removed", "added"],
  );
  assert.deepEqual(diffLines(""), []);
});
