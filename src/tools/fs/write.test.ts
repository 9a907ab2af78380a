/** `write`: files with their folders, and locks by real path. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createToolWorkspace, textOf } from "../../../test/fakes/tool-workspace.ts";
import { createWriteTool } from "./write.ts";

test("creates files with their folders, and replaces them", async (t) => {
  const workspace = await createToolWorkspace(t);
  const tool = createWriteTool(workspace.operations);
  const write = (path: string, content: string) =>
    tool.execute("call", { path, content }, new AbortController().signal, () => undefined);
  const created = await write("a/b/c.txt", "\uFEFFgrün\r\n");
  assert.equal(textOf(created), "Created a/b/c.txt (10 B).");
  assert.equal(await workspace.get("a/b/c.txt"), "\uFEFFgrün\r\n");
  const replaced = await write("a/b/c.txt", "");
  assert.equal(textOf(replaced), "Replaced a/b/c.txt (0 B).");
  assert.deepEqual(replaced.details, { path: "a/b/c.txt", bytes: 0, created: false });
  await assert.rejects(write("../escape.txt", "x"), { code: "PATH_REFUSED" });
  await assert.rejects(write("a", "x"), { code: "FILE_NOT_REGULAR" });
  await assert.rejects(write("half.txt", "\ud83d"), { code: "TEXT_MALFORMED" });
});

test("locks the real path, whatever name it goes by", async (t) => {
  const workspace = await createToolWorkspace(t);
  const tool = createWriteTool(workspace.operations);
  await workspace.put("real.txt", "");
  await workspace.executor.open({ cwd: workspace.dir, roots: [workspace.dir], hidden: [] }).exec({
    command: { argv: ["ln", "-s", "real.txt", "alias.txt"] },
    timeoutMs: 10_000,
    maxOutputBytes: 100,
    signal: new AbortController().signal,
  });
  for (const path of ["real.txt", "./x/../real.txt", "alias.txt", `${workspace.dir}/real.txt`]) {
    assert.deepEqual(await tool.locks?.({ path, content: "" }), [`${workspace.dir}/real.txt`]);
  }
});
