/** What a tool card says. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { describeTool, diffsOf, toDiffLines } from "./describe-tool.ts";

test("a call is described by mom's line, else by the argument that tells most", () => {
  assert.equal(describeTool("bash", { command: "ls" }, "bash ls -la"), "ls -la");
  assert.equal(describeTool("bash", { command: "npm test\nnpm run build" }), "npm test");
  assert.equal(describeTool("odd", { depth: 2 }), '{"depth":2}');
  assert.equal(describeTool("odd", {}, "odd"), "");
});

test("diffs are found in the details of edits and patches", () => {
  assert.deepEqual(diffsOf({ path: "a.ts", diff: "@@ -1 +1 @@" }), [{ path: "a.ts", diff: "@@ -1 +1 @@" }]);
  assert.deepEqual(
    diffsOf({
      files: [
        { path: "a", diff: "x" },
        { path: "b", diff: "" },
      ],
    }),
    [{ path: "a", diff: "x" }],
  );
  assert.deepEqual(diffsOf(null), []);
});

test("a removed line that looks like the name of a file is a line all the same", () => {
  const lines = toDiffLines("--- a\n+++ b\n@@ -1,2 +1,2 @@\n same\n--- was a comment\n+-- is one\n");
  assert.deepEqual(
    lines.map(({ kind }) => kind),
    ["place", "same", "removed", "added"],
  );
});
