import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createToolWorkspace, textOf } from "../../../test/fakes/tool-workspace.ts";
import { createEditTool } from "./edit.ts";

async function open(t: TestContext, content: string | Uint8Array) {
  const workspace = await createToolWorkspace(t);
  await workspace.put("file", content);
  const tool = createEditTool(workspace.operations);
  const edit = (oldText: string, newText: string, more: { replaceAll?: boolean; path?: string } = {}) =>
    tool.execute("call", { path: "file", oldText, newText, ...more }, new AbortController().signal, () => undefined);
  return { edit, now: () => workspace.get("file") };
}

test("replaces a unique piece and shows a diff", async (t) => {
  const { edit, now } = await open(t, "one\ntwo\nthree\n");
  const result = await edit("two", "zwei");
  assert.equal(await now(), "one\nzwei\nthree\n");
  assert.equal(textOf(result), "Replaced 1 place in file, line 2.");
  assert.equal(result.details.firstLine, 2);
  assert.match(result.details.diff, /^@@ -1,3 \+1,3 @@\n one\n-two\n\+zwei\n three\n/);
});

test("keeps the byte order mark and Windows line ends", async (t) => {
  const { edit, now } = await open(t, "\uFEFFone\r\ntwo\r\nthree\r\n");
  await edit("one\ntwo", "1\n2\n2b");
  assert.equal(await now(), "\uFEFF1\r\n2\r\n2b\r\nthree\r\n");
});

test("leaves mixed line ends alone outside the edit", async (t) => {
  const { edit, now } = await open(t, "a\r\nb\nc\r\nd\n\r\n");
  await edit("b\nc\n", "B\nC\n");
  assert.equal(await now(), "a\r\nB\r\nC\r\nd\n\r\n");
});

test("falls back to tolerance for trailing space, quotes and dashes", async (t) => {
  const { edit, now } = await open(t, "say(“hi”)  \t\nif x – 1:   \n  don’t\u00a0stop\n");
  const result = await edit('say("hi")\nif x - 1:\n  don\'t stop', "done");
  assert.equal(await now(), "done\n");
  assert.match(textOf(result), /were set aside/);
});

test("prefers the exact place over tolerant ones", async (t) => {
  const { edit, now } = await open(t, "it’s\nit's\n");
  await edit("it's", "its");
  assert.equal(await now(), "it’s\nits\n");
});

test("does not let trailing space of oldText eat into words", async (t) => {
  const { edit, now } = await open(t, "foobar\n");
  await assert.rejects(edit("foo ", "x"), { code: "EDIT_NOT_FOUND" });
  assert.equal(await now(), "foobar\n");
});

test("refuses what is not unique, with the lines, unless all are meant", async (t) => {
  const { edit, now } = await open(t, "x\ny\nx\nx\n");
  await assert.rejects(edit("x", "z"), { code: "EDIT_NOT_UNIQUE", message: /occurs 3 times .*lines 1, 3, 4/ });
  assert.equal(await now(), "x\ny\nx\nx\n");
  assert.match(textOf(await edit("x", "$&", { replaceAll: true })), /3 places/);
  assert.equal(await now(), "$&\ny\n$&\n$&\n");
});

test("says which lines are nearest when nothing matches", async (t) => {
  const { edit } = await open(t, "alpha\nconst total = sum(values);\nomega\n");
  await assert.rejects(edit("const total = add(values);", "x"), {
    code: "EDIT_NOT_FOUND",
    hint: /2: const total = sum/,
  });
  await assert.rejects(edit("???", "x"), { code: "EDIT_NOT_FOUND", hint: /Read the file again/ });
});

test("refuses an edit that changes nothing, a missing file, and what is not UTF-8", async (t) => {
  const { edit } = await open(t, "same\n");
  await assert.rejects(edit("same", "same"), { code: "EDIT_NO_CHANGE" });
  await assert.rejects(edit("a", "b", { path: "missing" }), { code: "FILE_NOT_FOUND" });
  const binary = await open(t, new Uint8Array([0x61, 0xff, 0x62]));
  await assert.rejects(binary.edit("a", "b"), { code: "FILE_BINARY" });
});

test("refuses files that are too big, and stays fast on hostile ones", async (t) => {
  const big = await open(t, "x".repeat(1024 * 1024 + 1));
  await assert.rejects(big.edit("x", "y"), { code: "FILE_TOO_BIG" });
  const blanks = await open(t, " ".repeat(1024 * 1024));
  await assert.rejects(blanks.edit("a\nb", "y"), { code: "EDIT_NOT_FOUND" });
});
