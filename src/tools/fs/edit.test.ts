/** `edit` as a tool: the exact place first, tolerance second, refusals that help, and large files in a thread. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createToolWorkspace, textOf } from "../../../test/fakes/tool-workspace.ts";
import { createSystemClock } from "../../base/clock.ts";
import { createEditTool } from "./edit.ts";
import { createTextWork } from "./text-work.ts";

async function open(t: TestContext, content: string | Uint8Array) {
  const workspace = await createToolWorkspace(t);
  await workspace.put("file", content);
  const textWork = createTextWork({ clock: createSystemClock() });
  t.after(() => textWork.close());
  const tool = createEditTool(workspace.operations, { textWork });
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

test("works on a file of 20 MB in a thread, and refuses larger ones", async (t) => {
  const line = `${"x".repeat(99)}\n`;
  const { edit, now } = await open(t, `${line.repeat(100_000)}needle\n${line.repeat(100_000)}`);
  const result = await edit("needle", "thread");
  assert.equal(result.details.firstLine, 100_001);
  assert.match(result.details.diff, /^@@ -99998,7 \+99998,7 @@/);
  assert.equal(await now(), `${line.repeat(100_000)}thread\n${line.repeat(100_000)}`);
  const big = await open(t, Buffer.alloc(32 * 1024 * 1024 + 1, "x"));
  await assert.rejects(big.edit("x", "y"), { code: "FILE_TOO_BIG" });
});

test("does not hold up the turns with text made to be slow", async (t) => {
  const { edit } = await open(t, `${"a".repeat(200_000)}\n`);
  let longestMs = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    longestMs = Math.max(longestMs, performance.now() - last);
    last = performance.now();
  }, 5);
  t.after(() => clearInterval(timer));
  await assert.rejects(edit(`b${"a".repeat(20_000)}`, "x"), { code: "EDIT_NOT_FOUND" });
  assert.ok(longestMs < 1000, `${longestMs} ms`);
  const blanks = await open(t, " ".repeat(1024 * 1024));
  await assert.rejects(blanks.edit("a\nb", "y"), { code: "EDIT_NOT_FOUND" });
});
