/** `edit` over files as they come: what is written is compared byte for byte, and a refusal leaves every byte in place. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createToolWorkspace } from "../../../test/fakes/tool-workspace.ts";
import { createSystemClock } from "../../base/clock.ts";
import { createEditTool } from "./edit.ts";
import { createTextWork } from "./text-work.ts";

interface Case {
  file: string | Uint8Array;
  oldText: string;
  newText: string;
  all?: true;
  /** The file afterwards, or the code of the refusal. */
  after: string | { code: string };
}

const bytes = (...values: number[]) => new Uint8Array(values);
const notFound = { code: "EDIT_NOT_FOUND" };
const notUnique = { code: "EDIT_NOT_UNIQUE" };
const noChange = { code: "EDIT_NO_CHANGE" };
const bom = "\uFEFF";

const cases: Record<string, Case> = {
  "a word": { file: "one two three\n", oldText: "two", newText: "2", after: "one 2 three\n" },
  "a whole line taken out": { file: "a\nb\nc\n", oldText: "b\n", newText: "", after: "a\nc\n" },
  "the whole file": { file: "a\nb\n", oldText: "a\nb\n", newText: "", after: "" },
  "one line made three": { file: "a\nb\nc\n", oldText: "b", newText: "1\n2\n3", after: "a\n1\n2\n3\nc\n" },
  "no final newline": { file: "a\nb", oldText: "b", newText: "c", after: "a\nc" },
  "no final newline, one added": { file: "a\nb", oldText: "b", newText: "b\n", after: "a\nb\n" },
  "a final newline taken away": { file: "a\nb\n", oldText: "b\n", newText: "b", after: "a\nb" },
  "Windows lines": { file: "a\r\nb\r\nc\r\n", oldText: "a\nb", newText: "1\n2\n3", after: "1\r\n2\r\n3\r\nc\r\n" },
  "Windows lines, asked for by name": { file: "a\r\nb\r\n", oldText: "a\r\nb", newText: "x\r\ny", after: "x\r\ny\r\n" },
  "Windows lines, the return with the line": {
    file: "a\r\nb\r\n",
    oldText: "a\r",
    newText: "x\r",
    after: "x\r\nb\r\n",
  },
  "Windows lines, from a line end on": {
    file: "a\r\nb\r\nc",
    oldText: "\nb",
    newText: "\nx\ny",
    after: "a\r\nx\r\ny\r\nc",
  },
  "Windows lines, a line end put in front": {
    file: "a\r\nb\r\n",
    oldText: "\nb",
    newText: "!\nb",
    after: "a!\r\nb\r\n",
  },
  "Windows lines in newText for a Unix file": { file: "a\nb\n", oldText: "a", newText: "x\r\ny", after: "x\ny\nb\n" },
  "a Windows file without a final newline": { file: "a\r\nb", oldText: "b", newText: "b\nc", after: "a\r\nb\r\nc" },
  "mixed line ends outside": {
    file: "a\r\nb\nc\r\nd\n\r\n",
    oldText: "d",
    newText: "D",
    after: "a\r\nb\nc\r\nD\n\r\n",
  },
  "mixed line ends inside stay in place": {
    file: "a\r\nb\nc\r\n",
    oldText: "a\nb\nc\n",
    newText: "A\nB\nC\n",
    after: "A\r\nB\nC\r\n",
  },
  "mixed line ends, more lines take the usual one": {
    file: "a\nb\r\nc\r\nd\r\n",
    oldText: "a\nb",
    newText: "1\n2\n3\n4",
    after: "1\n2\r\n3\r\n4\r\nc\r\nd\r\n",
  },
  "old Mac lines": { file: "a\rb\rc\r", oldText: "a\nb", newText: "1\n2\n3", after: "1\r2\r3\rc\r" },
  "old Mac lines, taken out": { file: "a\rb\rc", oldText: "b\n", newText: "", after: "a\rc" },
  "a lone return among newlines is a character": {
    file: "10%\r20%\r30%\nend\n",
    oldText: "20%",
    newText: "21%",
    after: "10%\r21%\r30%\nend\n",
  },
  "a lone return is not taken for a newline": {
    file: "10%\r20%\nend\n",
    oldText: "10%\n20%",
    newText: "x",
    after: notFound,
  },
  "a lone return asked for by name": { file: "10%\r20%\nend\n", oldText: "10%\r20%", newText: "x", after: "x\nend\n" },
  "byte order mark": { file: `${bom}a\nb\n`, oldText: "a", newText: "x", after: `${bom}x\nb\n` },
  "byte order mark, whole first line": { file: `${bom}a\r\nb\r\n`, oldText: "a\n", newText: "", after: `${bom}b\r\n` },
  "byte order mark in the middle": { file: `a${bom}b\n`, oldText: "b", newText: "c", after: `a${bom}c\n` },
  "tabs stay tabs": { file: "\tif x:\n\t\ty\n", oldText: "\t\ty", newText: "\t\tz", after: "\tif x:\n\t\tz\n" },
  "tabs are not spaces": { file: "\tx\n", oldText: "    x", newText: "y", after: notFound },
  "spaces are not tabs": { file: "    x\n", oldText: "\tx", newText: "y", after: notFound },
  "indentation counts": { file: "  x\n", oldText: "x\n  y", newText: "z", after: notFound },
  "trailing space in the file": { file: "a  \t\nb\n", oldText: "a\nb", newText: "c", after: "c\n" },
  "trailing space in oldText": { file: "a\nb\n", oldText: "a  \nb", newText: "c", after: "c\n" },
  "trailing space at the end of oldText": { file: "foo\nbar\n", oldText: "foo  ", newText: "x", after: "x\nbar\n" },
  "trailing space at the end of both": { file: "foo", oldText: "foo \t", newText: "x", after: "x" },
  "trailing space does not eat into words": { file: "foobar\n", oldText: "foo ", newText: "x", after: notFound },
  "trailing space outside the edit stays": {
    file: "a  \nb\nc  \n",
    oldText: "b",
    newText: "x",
    after: "a  \nx\nc  \n",
  },
  "trailing space before Windows ends": { file: "a \r\nb\r\n", oldText: "a\nb", newText: "c\nd", after: "c\r\nd\r\n" },
  "curly quotes in the file": { file: "say “hi” and ‘ho’\n", oldText: `say "hi" and 'ho'`, newText: "x", after: "x\n" },
  "curly quotes in oldText": { file: `it's "so"\n`, oldText: "it’s “so”", newText: "x", after: "x\n" },
  "curly quotes outside stay": { file: "“a” b “c”\n", oldText: "b", newText: "x", after: "“a” x “c”\n" },
  "curly quotes of newText stay": { file: `"a"\n`, oldText: `"a"`, newText: "“a”", after: "“a”\n" },
  "low and primed quotes": { file: "„a‟ 5′ 6″\n", oldText: `"a" 5' 6"`, newText: "x", after: "x\n" },
  dashes: { file: "a – b — c − d ‐ e\n", oldText: "a - b - c - d - e", newText: "x", after: "x\n" },
  "no-break and other spaces": {
    file: "a\u00a0b\u2009c\u3000d\u202fe\n",
    oldText: "a b c d e",
    newText: "x",
    after: "x\n",
  },
  "a blank line of odd spaces": { file: "a\n\u00a0\u2003\nb\n", oldText: "a\n\nb", newText: "x", after: "x\n" },
  "the exact place before the tolerant one": {
    file: "it’s\nit's\n",
    oldText: "it's",
    newText: "its",
    after: "it’s\nits\n",
  },
  "several tolerant places": { file: "it’s\nit‘s\n", oldText: "it's", newText: "x", after: notUnique },
  "several tolerant places, all meant": {
    file: "it’s\nit‘s\n",
    oldText: "it's",
    newText: "x",
    all: true,
    after: "x\nx\n",
  },
  "two places": { file: "x\ny\nx\n", oldText: "x", newText: "z", after: notUnique },
  "two places in one line": { file: "x x\n", oldText: "x", newText: "z", after: notUnique },
  "two places, all meant": { file: "x\ny\nx\n", oldText: "x", newText: "z", all: true, after: "z\ny\nz\n" },
  "places that would overlap": { file: "aaaa\n", oldText: "aa", newText: "b", all: true, after: "bb\n" },
  "all of one": { file: "a b\n", oldText: "a", newText: "c", all: true, after: "c b\n" },
  "all in Windows lines": {
    file: "a\r\nb\r\na\r\nb\r\n",
    oldText: "a\nb",
    newText: "c",
    all: true,
    after: "c\r\nc\r\n",
  },
  "newText that holds oldText": { file: "a\n", oldText: "a", newText: "aa", all: true, after: "aa\n" },
  "dollars are no patterns": { file: "price\n", oldText: "price", newText: "$& $1 $$ $`", after: "$& $1 $$ $`\n" },
  "patterns are no patterns": { file: "a.c abc\n", oldText: "a.c", newText: "[x]*", after: "[x]* abc\n" },
  "backslashes stay": { file: "a\\nb\n", oldText: "a\\nb", newText: "c\\td", after: "c\\td\n" },
  Chinese: { file: "你好，世界\n再见\n", oldText: "世界", newText: "地球", after: "你好，地球\n再见\n" },
  emoji: { file: "a 👩‍👩‍👧 b 😀\n", oldText: "😀", newText: "🚀", after: "a 👩‍👩‍👧 b 🚀\n" },
  "half an emoji is not found": {
    file: "😀\n",
    oldText: "\ud83d",
    newText: "x",
    after: { code: "TEXT_MALFORMED" },
  },
  "half an emoji is not written": { file: "a\n", oldText: "a", newText: "\ud83d", after: { code: "TEXT_MALFORMED" } },
  "composed and decomposed letters differ": { file: "e\u0301\n", oldText: "\u00e9", newText: "x", after: notFound },
  "right-to-left": { file: "שלום עולם\n", oldText: "עולם", newText: "mom", after: "שלום mom\n" },
  "NUL bytes": { file: "a\0b\0c\n", oldText: "b", newText: "x", after: "a\0x\0c\n" },
  "control characters and escapes": {
    file: "\x1b[31mred\x1b[0m\x07\n",
    oldText: "red",
    newText: "blue",
    after: "\x1b[31mblue\x1b[0m\x07\n",
  },
  "line separators of Unicode are characters": {
    file: "a\u2028b\u0085c\n",
    oldText: "b",
    newText: "x",
    after: "a\u2028x\u0085c\n",
  },
  "a very long line": {
    file: `${"é".repeat(60_000)}needle${"é".repeat(60_000)}`,
    oldText: "needle",
    newText: "x",
    after: `${"é".repeat(60_000)}x${"é".repeat(60_000)}`,
  },
  "many lines": {
    file: `${"line\n".repeat(40_000)}last`,
    oldText: "last",
    newText: "end",
    after: `${"line\n".repeat(40_000)}end`,
  },
  "an empty file": { file: "", oldText: "a", newText: "b", after: notFound },
  "a file of one newline": { file: "\n", oldText: "\n", newText: "a\n", after: "a\n" },
  "a file of spaces": { file: "   ", oldText: "  \n", newText: "x", after: notFound },
  "nothing changes": { file: "a\n", oldText: "a", newText: "a", after: noChange },
  "nothing changes but the line ends of newText": {
    file: "a\r\nb\r\n",
    oldText: "a\nb",
    newText: "a\nb",
    after: noChange,
  },
  "not there": { file: "a\n", oldText: "b", newText: "c", after: notFound },
  "case counts": { file: "Abc\n", oldText: "abc", newText: "x", after: notFound },
  "not UTF-8": { file: bytes(0x61, 0xff, 0x62), oldText: "a", newText: "b", after: { code: "FILE_BINARY" } },
  "UTF-8 cut in the middle": {
    file: bytes(0x61, 0xe2, 0x82),
    oldText: "a",
    newText: "b",
    after: { code: "FILE_BINARY" },
  },
  "UTF-16": { file: Buffer.from(`${bom}abc`, "utf16le"), oldText: "a", newText: "b", after: { code: "FILE_BINARY" } },
  "surrogates as UTF-8": {
    file: bytes(0x61, 0xed, 0xa0, 0x80),
    oldText: "a",
    newText: "b",
    after: { code: "FILE_BINARY" },
  },
};

async function open(t: TestContext) {
  const workspace = await createToolWorkspace(t);
  const textWork = createTextWork({ clock: createSystemClock() });
  t.after(() => textWork.close());
  return { workspace, tool: createEditTool(workspace.operations, { textWork }) };
}

test("edits files byte for byte", async (t) => {
  const { workspace, tool } = await open(t);
  for (const [name, { file, oldText, newText, all, after }] of Object.entries(cases)) {
    await t.test(name, async () => {
      await workspace.put("file", file);
      const params = { path: "file", oldText, newText, ...(all ? { replaceAll: true } : {}) };
      const run = tool.execute("call", params, new AbortController().signal, () => undefined);
      if (typeof after === "string") await run;
      else await assert.rejects(run, after);
      const expected = Buffer.from(typeof after === "string" ? after : file);
      const found = await readFile(join(workspace.dir, "file"));
      assert.ok(found.equals(expected), `${JSON.stringify(found.toString().slice(0, 300))}`);
    });
  }
});
