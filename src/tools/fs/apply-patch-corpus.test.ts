/** `apply_patch` over files as they come: every file compared byte for byte, and after a refusal nothing has changed. */
import assert from "node:assert/strict";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createToolWorkspace } from "../../../test/fakes/tool-workspace.ts";
import { createSystemClock } from "../../base/clock.ts";
import { createApplyPatchTool } from "./apply-patch.ts";
import { createTextWork } from "./text-work.ts";

type Files = Record<string, string | Uint8Array>;
interface Case {
  before: Files;
  /** The lines between the first and the last; a text that does not start so is taken as it is. */
  patch: string[] | string;
  /** All files afterwards, or the refusal. */
  after: Files | { code: string; message?: RegExp; hint?: RegExp };
}

const bom = "\uFEFF";
const update = (...lines: string[]) => ["*** Update File: f", ...lines];
const failed = (message: RegExp, hint?: RegExp) => ({
  code: "PATCH_FAILED",
  message,
  ...(hint === undefined ? {} : { hint }),
});
const malformed = (message: RegExp) => ({ code: "PATCH_MALFORMED", message });

const cases: Record<string, Case> = {
  "a line changed": {
    before: { f: "a\nb\nc\n" },
    patch: update("@@", " a", "-b", "+B", " c"),
    after: { f: "a\nB\nc\n" },
  },
  "without @@ at all": { before: { f: "a\nb\n" }, patch: update(" a", "-b", "+B"), after: { f: "a\nB\n" } },
  "a line added in the middle": {
    before: { f: "a\nc\n" },
    patch: update("@@", " a", "+b", " c"),
    after: { f: "a\nb\nc\n" },
  },
  "a line taken out": { before: { f: "a\nb\nc\n" }, patch: update("@@", " a", "-b", " c"), after: { f: "a\nc\n" } },
  "everything taken out": { before: { f: "a\nb\n" }, patch: update("@@", "-a", "-b"), after: { f: "" } },
  "two hunks": {
    before: { f: "1\n2\n3\n4\n5\n6\n" },
    patch: update("@@", " 1", "-2", "+zwei", "@@", " 5", "-6", "+sechs"),
    after: { f: "1\nzwei\n3\n4\n5\nsechs\n" },
  },
  "an anchor picks the place": {
    before: { f: "def a():\n  x = 1\ndef b():\n  x = 1\n" },
    patch: update("@@ def b():", "-  x = 1", "+  x = 2"),
    after: { f: "def a():\n  x = 1\ndef b():\n  x = 2\n" },
  },
  "anchors one inside the other": {
    before: { f: "class A\n  def f\n    1\nclass B\n  def f\n    1\n" },
    patch: update("@@ class B", "@@   def f", "-    1", "+    2"),
    after: { f: "class A\n  def f\n    1\nclass B\n  def f\n    2\n" },
  },
  "lines added after an anchor": {
    before: { f: "a\nb\n" },
    patch: update("@@ a", "+new"),
    after: { f: "a\nnew\nb\n" },
  },
  "lines added without a place go to the end": {
    before: { f: "a\n" },
    patch: update("@@", "+b"),
    after: { f: "a\nb\n" },
  },
  "the end of the file is meant": {
    before: { f: "x\ny\nx\n" },
    patch: update("@@", "-x", "+z", "*** End of File"),
    after: { f: "x\ny\nz\n" },
  },
  "numbers after @@ pick the place": {
    before: { f: "x\ny\nx\n" },
    patch: update("@@ -3,1 +3,1 @@", "-x", "+z"),
    after: { f: "x\ny\nz\n" },
  },
  "an empty context line without its space": {
    before: { f: "a\n\nb\n" },
    patch: update("@@", " a", "", "-b", "+c"),
    after: { f: "a\n\nc\n" },
  },
  "empty lines between files count for nothing": {
    before: { f: "a\n", g: "b\n" },
    patch: [...update("@@", "-a", "+A"), "", "*** Update File: g", "@@", "-b", "+B", ""],
    after: { f: "A\n", g: "B\n" },
  },
  "an empty line too many at the end of a hunk": {
    before: { f: "a\nb\nc\n" },
    patch: update("@@", "-a", "+A", "", "@@", "-c", "+C"),
    after: { f: "A\nb\nC\n" },
  },
  "Windows lines": {
    before: { f: "a\r\nb\r\nc\r\n" },
    patch: update("@@", " a", "-b", "+B", "+B2"),
    after: { f: "a\r\nB\r\nB2\r\nc\r\n" },
  },
  "a patch with Windows lines for a Unix file": {
    before: { f: "a\nb\n" },
    patch: "*** Begin Patch\r\n*** Update File: f\r\n@@\r\n a\r\n-b\r\n+B\r\n*** End Patch\r\n",
    after: { f: "a\nB\n" },
  },
  "mixed line ends stay where they are": {
    before: { f: "a\r\nb\nc\r\nd\n" },
    patch: update("@@", " a", "-b", "-c", "+B", "+C", " d"),
    after: { f: "a\r\nB\nC\r\nd\n" },
  },
  "old Mac lines": { before: { f: "a\rb\rc" }, patch: update("@@", "-b", "+B", "+B2"), after: { f: "a\rB\rB2\rc" } },
  "a byte order mark": {
    before: { f: `${bom}a\r\nb\r\n` },
    patch: update("@@", "-a", "+A"),
    after: { f: `${bom}A\r\nb\r\n` },
  },
  "no final newline": { before: { f: "a\nb" }, patch: update("@@", " a", "-b", "+c"), after: { f: "a\nc" } },
  "no final newline, lines added at the end": {
    before: { f: "a" },
    patch: update("@@", " a", "+b"),
    after: { f: "a\nb" },
  },
  "no final newline, last line taken out": { before: { f: "a\nb" }, patch: update("@@", "-b"), after: { f: "a" } },
  "an empty file gets lines": { before: { f: "" }, patch: update("@@", "+a"), after: { f: "a\n" } },
  "trailing space in the file, and the context keeps it": {
    before: { f: "a  \nb\t\nc\n" },
    patch: update("@@", " a", "-b", "+B", " c"),
    after: { f: "a  \nB\nc\n" },
  },
  "trailing space in the patch": {
    before: { f: "a\nb\n" },
    patch: update("@@", " a  ", "-b ", "+B"),
    after: { f: "a\nB\n" },
  },
  "curly quotes and dashes, and the context keeps them": {
    before: { f: "say “hi” – now\nb\n" },
    patch: update("@@", ' say "hi" - now', "-b", "+B"),
    after: { f: "say “hi” – now\nB\n" },
  },
  "tabs are not spaces": {
    before: { f: "\ta\n" },
    patch: update("@@", "-    a", "+b"),
    after: failed(/expected " {4}a"/),
  },
  "Chinese and emoji": {
    before: { f: "你好\n😀\n" },
    patch: update("@@", " 你好", "-😀", "+🚀"),
    after: { f: "你好\n🚀\n" },
  },
  "NUL bytes": { before: { f: "a\0\nb\n" }, patch: update("@@", " a\0", "-b", "+c\0"), after: { f: "a\0\nc\0\n" } },
  "a very long line": {
    before: { f: `${"x".repeat(200_000)}\nb\n` },
    patch: update("@@", "-b", "+c"),
    after: { f: `${"x".repeat(200_000)}\nc\n` },
  },
  "lines that look like marks": {
    before: { f: "*** End Patch\n--- x\n@@ y\n" },
    patch: update("@@", "-*** End Patch", "+*** Begin Patch", " --- x", "-@@ y", "++++ z"),
    after: { f: "*** Begin Patch\n--- x\n+++ z\n" },
  },
  "a file added, with its folders": {
    before: {},
    patch: ["*** Add File: deep/er/new.txt", "+a", "+", "+b"],
    after: { "deep/er/new.txt": "a\n\nb\n" },
  },
  "an empty file added": { before: {}, patch: ["*** Add File: empty"], after: { empty: "" } },
  "a file deleted": { before: { f: "a\n", g: "b\n" }, patch: ["*** Delete File: g"], after: { f: "a\n" } },
  "a file deleted that is no text": {
    before: { g: new Uint8Array([0xff, 0]) },
    patch: ["*** Delete File: g"],
    after: {},
  },
  "a file moved as it is": {
    before: { f: new Uint8Array([0xff, 0, 1]) },
    patch: update("*** Move to: sub/g"),
    after: { "sub/g": new Uint8Array([0xff, 0, 1]) },
  },
  "a file moved and changed": {
    before: { f: "a\r\nb\r\n" },
    patch: update("*** Move to: g", "@@", "-a", "+A"),
    after: { g: "A\r\nb\r\n" },
  },
  "a file moved to its own name": {
    before: { f: "a\n" },
    patch: update("*** Move to: ./f", "@@", "-a", "+A"),
    after: { f: "A\n" },
  },
  "many files at once": {
    before: { f: "a\n", g: "b\n", h: "c\n" },
    patch: [
      ...update("@@", "-a", "+A"),
      "*** Delete File: g",
      "*** Add File: i",
      "+d",
      "*** Update File: h",
      "*** Move to: j",
    ],
    after: { f: "A\n", i: "d\n", j: "c\n" },
  },
  "one file twice": {
    before: { f: "a\nb\n" },
    patch: [...update("@@", "-a", "+A"), ...update("@@", "-b", "+B")],
    after: { f: "A\nB\n" },
  },
  "one file under two names": {
    before: { f: "a\nb\n" },
    patch: [...update("@@", "-a", "+A"), "*** Update File: ./x/../f", "@@", "-b", "+B"],
    after: { f: "A\nB\n" },
  },
  "deleted, then added": {
    before: { f: "a\n" },
    patch: ["*** Delete File: f", "*** Add File: f", "+b"],
    after: { f: "b\n" },
  },
  "room made by a deletion": {
    before: { f: "a\n", g: "b\n" },
    patch: ["*** Delete File: g", ...update("*** Move to: g")],
    after: { g: "a\n" },
  },
  "an absolute path in the workspace": {
    before: { f: "a\n" },
    patch: ["*** Update File: $DIR/f", "@@", "-a", "+A"],
    after: { f: "A\n" },
  },
  "a unified diff": {
    before: { f: "a\nb\nc\n" },
    patch: "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n",
    after: { f: "a\nB\nc\n" },
  },
  "a unified diff of git, with a new and a deleted file": {
    before: { f: "a\n", g: "b\n" },
    patch:
      "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+x\n+y\ndiff --git a/g b/g\ndeleted file mode 100644\n--- a/g\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n",
    after: { f: "a\n", n: "x\ny\n" },
  },
  "a unified diff to Windows lines": {
    before: { f: "a\r\nb\r\n" },
    patch: "--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n-b\n+B\n",
    after: { f: "a\r\nB\r\n" },
  },
  "a unified diff picks by line number": {
    before: { f: "x\ny\nx\n" },
    patch: "--- f\n+++ f\n@@ -3 +3 @@\n-x\n+z\n",
    after: { f: "x\ny\nz\n" },
  },
  "a unified diff whose numbers are off": {
    before: { f: "0\n0\na\nb\n" },
    patch: "--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n-b\n+B\n",
    after: { f: "0\n0\na\nB\n" },
  },
  "a unified diff that only adds": {
    before: { f: "a\nb\n" },
    patch: "--- f\n+++ f\n@@ -1,0 +2 @@\n+new\n",
    after: { f: "a\nnew\nb\n" },
  },
  "a unified diff that takes the final newline": {
    before: { f: "a\nb\n" },
    patch: "--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n",
    after: { f: "a\nb" },
  },
  "a unified diff that gives a final newline": {
    before: { f: "a\nb" },
    patch: "--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n",
    after: { f: "a\nb\n" },
  },
  "a unified diff that moves": {
    before: { f: "a\n" },
    patch: "--- a/f\n+++ b/g\n@@ -1 +1 @@\n-a\n+A\n",
    after: { g: "A\n" },
  },
  "lines that are not there": {
    before: { f: "a\nb\nc\n" },
    patch: update("@@", " a", "-x", "+y"),
    after: failed(/^"f", hunk 1: expected "x" at line 2, which is not there$/, /has "b" there/),
  },
  "the second hunk not there, the first not written": {
    before: { f: "a\nb\n" },
    patch: update("@@", "-a", "+A", "@@", "-zzz", "+y"),
    after: failed(/"f", hunk 2: expected "zzz"/),
  },
  "a later file wrong, none written": {
    before: { f: "a\n", g: "b\n" },
    patch: [...update("@@", "-a", "+A"), "*** Add File: new", "+x", "*** Update File: g", "@@", "-zzz", "+y"],
    after: failed(/"g", hunk 1: expected "zzz"/),
  },
  "hunks in the wrong order": {
    before: { f: "a\nb\nc\n" },
    patch: update("@@", "-c", "+C", "@@", "-a", "+A"),
    after: failed(/hunk 2: its lines stand before line 4/, /order of the file/),
  },
  "hunks that overlap": {
    before: { f: "a\nb\nc\n" },
    patch: update("@@", "-a", "-b", "+x", "@@", " b", "-c", "+y"),
    after: failed(/hunk 2: its lines stand before line 3/),
  },
  "several places": {
    before: { f: "x\ny\nx\n" },
    patch: update("@@", "-x", "+z"),
    after: failed(/hunk 1: its lines stand at 2 places \(lines 1, 3\)/, /@@ line/),
  },
  "an anchor that is not there": {
    before: { f: "def alpha():\n  x\n" },
    patch: update("@@ def alpah():", "-  x", "+  y"),
    after: failed(/hunk 1: no line "def alpah\(\):"/),
  },
  "the end is meant and the lines stand elsewhere": {
    before: { f: "x\ny\n" },
    patch: update("@@", "-x", "+z", "*** End of File"),
    after: failed(/hunk 1/),
  },
  "an addition of what exists": {
    before: { f: "a\n" },
    patch: ["*** Add File: f", "+b"],
    after: failed(/"f" is to be added but exists already/),
  },
  "a deletion of what is missing": {
    before: {},
    patch: ["*** Delete File: f"],
    after: failed(/"f" is to be deleted but does not exist/),
  },
  "an update of what is missing": {
    before: {},
    patch: update("@@", "-a", "+b"),
    after: failed(/"f" is to be updated but does not exist/),
  },
  "a move onto another": {
    before: { f: "a\n", g: "b\n" },
    patch: update("*** Move to: g"),
    after: failed(/"f" is to be moved to "g", which exists already/),
  },
  "an update after its deletion": {
    before: { f: "a\n" },
    patch: ["*** Delete File: f", ...update("@@", "-a", "+b")],
    after: failed(/does not exist/),
  },
  "an update of what is no text": {
    before: { f: new Uint8Array([0x61, 0xff, 0x0a]) },
    patch: update("@@", "-a", "+b"),
    after: failed(/not UTF-8/),
  },
  "nothing changes": {
    before: { f: "a\n" },
    patch: update("@@", "-a", "+a"),
    after: failed(/leave every file as it is/),
  },
  "a folder": { before: { "f/x": "a\n" }, patch: update("@@", "-a", "+b"), after: { code: "FILE_NOT_REGULAR" } },
  "a path outside": {
    before: { f: "a\n" },
    patch: [...update("@@", "-a", "+b"), "*** Add File: ../out", "+x"],
    after: { code: "PATH_REFUSED" },
  },
  "an absolute path outside": {
    before: {},
    patch: ["*** Add File: /etc/mom-test", "+x"],
    after: { code: "PATH_REFUSED" },
  },
  "a move outside": { before: { f: "a\n" }, patch: update("*** Move to: ../../out"), after: { code: "PATH_REFUSED" } },
  "a hidden file": {
    before: { f: "a\n" },
    patch: ["*** Delete File: state/auth.json"],
    after: { code: "PATH_REFUSED" },
  },
  "no patch at all": { before: { f: "a\n" }, patch: "please change a to b", after: malformed(/does not start with/) },
  "a patch that was cut off": {
    before: { f: "a\n" },
    patch: "*** Begin Patch\n*** Update File: f\n@@\n-a\n+b",
    after: malformed(/does not end with/),
  },
  "an empty patch": { before: {}, patch: [], after: malformed(/comes before any file/) },
  "a line without a sign": {
    before: { f: "a\n" },
    patch: update("@@", "-a", "b"),
    after: malformed(/Line 5 of the patch, "b", must start with/),
  },
  "an added file with a line without a sign": {
    before: {},
    patch: ["*** Add File: f", "+a", "b"],
    after: malformed(/must start with "\+"/),
  },
  "an unknown mark": { before: { f: "a\n" }, patch: ["*** Rename File: f"], after: malformed(/begins no file/) },
  "a mark without a path": { before: { f: "a\n" }, patch: ["*** Delete File:  "], after: malformed(/names no file/) },
  "an update of nothing": { before: { f: "a\n" }, patch: update(), after: malformed(/nothing to change/) },
  "a hunk of nothing": { before: { f: "a\n" }, patch: update("@@ a"), after: malformed(/without a line in it/) },
  "a unified diff with wrong counts": {
    before: { f: "a\n" },
    patch: "--- f\n+++ f\n@@ -1,9 +1,9 @@\n-a\n+b\n",
    after: malformed(/cannot be read/),
  },
  "half a character": { before: { f: "a\n" }, patch: update("@@", "-a", "+\ud83d"), after: { code: "TEXT_MALFORMED" } },
};

async function open(t: TestContext) {
  const workspace = await createToolWorkspace(t);
  const textWork = createTextWork({ clock: createSystemClock() });
  t.after(() => textWork.close());
  return { workspace, tool: createApplyPatchTool(workspace.operations, { textWork }) };
}

async function listFiles(dir: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const item of await readdir(dir, { recursive: true, withFileTypes: true })) {
    if (!item.isFile()) continue;
    const path = join(item.parentPath, item.name);
    found[path.slice(dir.length + 1)] = (await readFile(path)).toString("latin1");
  }
  return found;
}

const toLatin = (files: Files) =>
  Object.fromEntries(Object.entries(files).map(([path, data]) => [path, Buffer.from(data).toString("latin1")]));

const isRefusal = (after: Case["after"]): after is { code: string } => typeof after["code"] === "string";

test("patches files byte for byte", async (t) => {
  const { workspace, tool } = await open(t);
  for (const [name, { before, patch, after }] of Object.entries(cases)) {
    await t.test(name, async () => {
      for (const item of await readdir(workspace.dir)) await rm(join(workspace.dir, item), { recursive: true });
      for (const [path, data] of Object.entries(before)) await workspace.put(path, data);
      const text = typeof patch === "string" ? patch : ["*** Begin Patch", ...patch, "*** End Patch"].join("\n");
      const params = { patch: text.replaceAll("$DIR", workspace.dir) };
      const run = tool.execute("call", params, new AbortController().signal, () => undefined);
      if (isRefusal(after)) await assert.rejects(run, after);
      else await run;
      assert.deepEqual(await listFiles(workspace.dir), toLatin(isRefusal(after) ? before : after));
    });
  }
});
