import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createToolWorkspace, textOf } from "../../../test/fakes/tool-workspace.ts";
import { createReadTool } from "./read.ts";

async function open(t: TestContext) {
  const workspace = await createToolWorkspace(t);
  const tool = createReadTool(workspace.operations);
  const read = (params: { path: string; offset?: number; limit?: number }, signal = new AbortController().signal) =>
    tool.execute("call", params, signal, () => undefined);
  return { workspace, read };
}

test("reads a text file, byte order mark left out", async (t) => {
  const { workspace, read } = await open(t);
  await workspace.put("notes.md", "\uFEFFone\r\ntwo\n");
  assert.equal(textOf(await read({ path: "notes.md" })), "one\r\ntwo\n");
});

test("reads lines from offset to limit and says how to go on", async (t) => {
  const { workspace, read } = await open(t);
  await workspace.put("a", "1\n2\n3\n4\n5");
  assert.equal(
    textOf(await read({ path: "a", offset: 2, limit: 2 })),
    "2\n3\n\n[Lines 2-3 of a file of 9 B. Go on with offset=4.]",
  );
  assert.equal(textOf(await read({ path: "a", offset: 4, limit: 2 })), "4\n5");
  assert.equal(textOf(await read({ path: "a", offset: 5 })), "5");
});

test("cuts at 2,000 lines and at 50 KB, and the pieces make the whole", async (t) => {
  const { workspace, read } = await open(t);
  const lines = Array.from({ length: 9000 }, (_, i) => `${i + 1} ${"x".repeat(i % 100)}`);
  await workspace.put("long", lines.join("\n"));
  const pieces: string[] = [];
  let offset = 1;
  while (offset > 0) {
    const [text = "", notice = ""] = textOf(await read({ path: "long", offset })).split("\n\n[");
    assert.ok(Buffer.byteLength(text) <= 50 * 1024);
    pieces.push(text);
    offset = Number(/offset=(\d+)/.exec(notice)?.[1] ?? 0);
  }
  assert.ok(pieces.length > 5);
  assert.equal(pieces.join("\n"), lines.join("\n"));
});

test("shows the beginning of a line that is too long", async (t) => {
  const { workspace, read } = await open(t);
  await workspace.put("min.js", `${"ä".repeat(600_000)}\nsecond\n`);
  const text = textOf(await read({ path: "min.js" }));
  assert.match(text, /^ä{25600}\n\n\[Line 1 is longer than 50 KB; .*offset=2/);
  assert.equal(textOf(await read({ path: "min.js", offset: 2 })), "second\n");
});

test("finds a line deep in a large file without reading it whole", async (t) => {
  const { workspace, read } = await open(t);
  await workspace.put("big", "0123456789\n".repeat(1_000_000));
  let largest = 0;
  const { readFile } = workspace.operations;
  workspace.operations.readFile = async (path, range) => {
    const data = await readFile(path, range);
    largest = Math.max(largest, data.length);
    return data;
  };
  assert.match(textOf(await read({ path: "big", offset: 900_000, limit: 1 })), /^0123456789\n\n\[Lines 900000-900000/);
  assert.ok(largest <= 256 * 1024);
});

test("says that a file is empty, or shorter than the offset", async (t) => {
  const { workspace, read } = await open(t);
  await workspace.put("empty", "");
  await workspace.put("short", "1\n2\n");
  assert.equal(textOf(await read({ path: "empty" })), "(the file is empty)");
  await assert.rejects(read({ path: "short", offset: 3 }), { code: "READ_BEYOND_END", message: /has 2 lines/ });
});

test("refuses binary files, folders and what is not there", async (t) => {
  const { workspace, read } = await open(t);
  await workspace.put("data.bin", new Uint8Array([1, 0, 2]));
  await assert.rejects(read({ path: "data.bin" }), { code: "FILE_BINARY" });
  await assert.rejects(read({ path: "." }), { code: "FILE_NOT_REGULAR" });
  await assert.rejects(read({ path: "missing" }), { code: "FILE_NOT_FOUND" });
  await workspace.put("state/auth.json", "{}");
  await assert.rejects(read({ path: "state/auth.json" }), { code: "PATH_REFUSED" });
});

test("gives images as images, up to 5 MB", async (t) => {
  const { workspace, read } = await open(t);
  const png = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(20)]);
  await workspace.put("p.png", png);
  const result = await read({ path: "p.png" });
  assert.deepEqual(result.content[1], { type: "image", data: png.toString("base64"), mimeType: "image/png" });
  await workspace.put("big.png", Buffer.concat([png, Buffer.alloc(5 * 1024 * 1024)]));
  await assert.rejects(read({ path: "big.png" }), { code: "FILE_TOO_BIG" });
});

test("stops when aborted", async (t) => {
  const { workspace, read } = await open(t);
  await workspace.put("a", "1\n");
  await assert.rejects(read({ path: "a" }, AbortSignal.abort()), { code: "ABORTED" });
});
