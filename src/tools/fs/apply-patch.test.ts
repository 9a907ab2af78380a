/** `apply_patch` as a tool: what it says, what it locks, all or nothing, and no patch holds up the turns. */
import assert from "node:assert/strict";
import { chmod, stat } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createToolWorkspace, textOf } from "../../../test/fakes/tool-workspace.ts";
import { createSystemClock } from "../../base/clock.ts";
import { createApplyPatchTool } from "./apply-patch.ts";
import { createTextWork } from "./text-work.ts";

async function open(t: TestContext) {
  const workspace = await createToolWorkspace(t);
  const textWork = createTextWork({ clock: createSystemClock() });
  t.after(() => textWork.close());
  const tool = createApplyPatchTool(workspace.operations, { textWork });
  const wrap = (lines: string[]) => ({ patch: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") });
  const apply = (...lines: string[]) =>
    tool.execute("call", wrap(lines), new AbortController().signal, () => undefined);
  return { workspace, tool, wrap, apply };
}

test("says what it did, file by file, with diffs for people", async (t) => {
  const { workspace, apply } = await open(t);
  await workspace.put("a.txt", "1\n2\n3\n");
  await workspace.put("old.txt", "x\ny’s\n");
  await workspace.put("gone.txt", "");
  const result = await apply(
    "*** Update File: a.txt",
    "@@",
    "-2",
    "+zwei",
    "*** Update File: old.txt",
    "*** Move to: new.txt",
    "@@",
    "-y's",
    "+z",
    "*** Add File: b.txt",
    "+b",
    "*** Delete File: gone.txt",
  );
  assert.equal(
    textOf(result),
    "Done:\nupdated a.txt, line 2\nmoved old.txt to new.txt, line 2\nadded b.txt\ndeleted gone.txt\n(Differences in trailing space, quotes or dashes were set aside.)",
  );
  assert.deepEqual(result.details.files[0], {
    path: "a.txt",
    action: "updated",
    firstLine: 2,
    diff: "@@ -1,3 +1,3 @@\n 1\n-2\n+zwei\n 3\n",
  });
});

test("keeps the mode of a file, and describes itself by its files", async (t) => {
  const { workspace, apply, tool, wrap } = await open(t);
  await workspace.put("run.sh", "echo a\n");
  await chmod(join(workspace.dir, "run.sh"), 0o755);
  await apply("*** Update File: run.sh", "@@", "-echo a", "+echo b");
  assert.equal((await stat(join(workspace.dir, "run.sh"))).mode & 0o777, 0o755);
  assert.equal(tool.describe(wrap(["*** Update File: a", "*** Delete File: b"])), "apply_patch a, b");
});

test("locks every file it touches by its real path", async (t) => {
  const { workspace, tool, wrap } = await open(t);
  await workspace.put("a", "");
  const locks = await tool.locks?.(wrap(["*** Update File: ./a", "*** Move to: b/c", "*** Delete File: a"]));
  assert.deepEqual(locks, [join(workspace.dir, "a"), join(workspace.dir, "b/c")]);
  await assert.rejects(async () => tool.locks?.({ patch: "nothing" }), { code: "PATCH_MALFORMED" });
});

test("puts everything back when a later file cannot be written", async (t) => {
  const { workspace, apply } = await open(t);
  await workspace.put("a", "old a\r\n");
  await workspace.put("gone", "kept");
  await workspace.put("file", "");
  const changes = [
    "*** Update File: a",
    "@@",
    "-old a",
    "+new a",
    "*** Delete File: gone",
    "*** Add File: made",
    "+x",
    // Its folder is a file: seen only when it is written.
    "*** Add File: file/inside",
    "+x",
  ];
  await assert.rejects(apply(...changes), {
    code: "PATCH_NOT_WRITTEN",
    message: /"file\/inside".*every file is as it was/,
  });
  assert.equal(await workspace.get("a"), "old a\r\n");
  assert.equal(await workspace.get("gone"), "kept");
  assert.equal(await workspace.operations.stat("made"), undefined);
});

test("does not touch sealed files, nor what comes with them", async (t) => {
  const { workspace } = await open(t);
  await workspace.put("a", "old\n");
  await workspace.put("log.jsonl", "{}\n");
  const { dir, executor } = workspace;
  const isSealed = (path: string) => path.endsWith("log.jsonl");
  const textWork = createTextWork({ clock: createSystemClock() });
  const tool = createApplyPatchTool(executor.open({ cwd: dir, roots: [dir], hidden: [], isSealed }), { textWork });
  const patch = "*** Begin Patch\n*** Update File: a\n@@\n-old\n+new\n*** Delete File: log.jsonl\n*** End Patch";
  const run = tool.execute("call", { patch }, new AbortController().signal, () => undefined);
  await assert.rejects(run, { code: "PATCH_NOT_WRITTEN", message: /every file is as it was/ });
  assert.equal(await workspace.get("a"), "old\n");
  assert.equal(await workspace.get("log.jsonl"), "{}\n");
});

test("names the files that could not be put back", async (t) => {
  const { workspace, apply } = await open(t);
  await workspace.put("a", "old\n");
  await workspace.put("b", "old\n");
  const { writeFile } = workspace.operations;
  let writes = 0;
  workspace.operations.writeFile = async (path, data) => {
    if (++writes > 1) throw new Error("disk full");
    await writeFile(path, data);
  };
  const changes = ["*** Update File: a", "@@", "-old", "+new", "*** Update File: b", "@@", "-old", "+new"];
  await assert.rejects(apply(...changes), {
    message: /"b" could not be written \(disk full\); these files are changed all the same: a/,
  });
});

test("patches a file of 20 MB", async (t) => {
  const { workspace, apply } = await open(t);
  const line = `${"x".repeat(99)}\r\n`;
  await workspace.put("big", `${line.repeat(100_000)}needle\r\n${line.repeat(100_000)}`);
  const result = await apply("*** Update File: big", "@@", "-needle", "+thread");
  assert.equal(result.details.files[0]?.firstLine, 100_001);
  assert.equal(await workspace.get("big"), `${line.repeat(100_000)}thread\r\n${line.repeat(100_000)}`);
});

test("does not hold up the turns with patches made to be slow", async (t) => {
  const { workspace, tool, wrap, apply } = await open(t);
  const longestMs = watchTurns(t);
  await workspace.put("blank", "\n".repeat(256 * 1024));
  await workspace.put("same", "a\n".repeat(20_000));
  await workspace.put("indented", " a\n".repeat(2000));
  const blankLines = ["*** Update File: blank", " x", ...Array<string>(40_000).fill(""), " y"];
  await tool.locks?.(wrap(blankLines));
  await assert.rejects(apply(...blankLines), { code: "PATCH_FAILED" });
  const trailing = Array<string>(250).fill(" ");
  const isNotThere = { code: "PATCH_FAILED", message: /expected "x"/ };
  await assert.rejects(
    apply("*** Update File: blank", "@@", ...trailing, "-x", ...trailing, "*** End of File"),
    isNotThere,
  );
  await apply("*** Update File: same", ...Array<string>(19_999).fill("@@ a"), "-a", "+b");
  assert.ok((await workspace.get("same")).endsWith("a\nb\n"));
  await apply("*** Update File: indented", ...Array<string>(1999).fill("@@ a"), "- a", "+b");
  assert.ok((await workspace.get("indented")).endsWith(" a\nb\n"));
  assert.ok(longestMs() < 1000, `${longestMs()} ms`);
});

/** How long nothing else could be done, at the longest so far. */
function watchTurns(t: TestContext): () => number {
  let longest = 0;
  let last = performance.now();
  const look = () => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  };
  const timer = setInterval(look, 5);
  t.after(() => clearInterval(timer));
  return () => {
    look();
    return longest;
  };
}
