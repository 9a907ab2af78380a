/** ls, find and grep on real files: what they show, in which order, where they stop, and what they never show. */
import assert from "node:assert/strict";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createToolWorkspace, textOf } from "../../../test/fakes/tool-workspace.ts";
import { createFindTool } from "./find.ts";
import { createGrepTool } from "./grep.ts";
import { createLsTool } from "./ls.ts";

const signal = new AbortController().signal;
const ignore = () => undefined;

test("ls lists sorted, marks folders and links, hides what is hidden", async (t) => {
  const { operations, put, dir } = await createToolWorkspace(t);
  const ls = (params: { path?: string; limit?: number }) =>
    createLsTool(operations).execute("c", params, signal, ignore);
  for (const path of ["b.txt", "a/x", "state/auth.json", "new\nline"]) await put(path, "");
  await symlink("b.txt", join(dir, "l"));
  assert.equal(textOf(await ls({})), "a/\nb.txt\nl@\nnew\\nline");
  assert.equal(textOf(await ls({ limit: 1 })), "a/\n\n[1 of 4 entries; use find with a pattern for the rest]");
  await operations.mkdir("empty");
  assert.equal(textOf(await ls({ path: "empty" })), "(the folder is empty)");
  await assert.rejects(ls({ path: "missing" }), { code: "FILE_NOT_FOUND" });
  await assert.rejects(ls({ path: "b.txt" }), { code: "FILE_NOT_REGULAR" });
});

test("ls shows at most 500 entries", async (t) => {
  const { operations, put } = await createToolWorkspace(t);
  await Promise.all(Array.from({ length: 501 }, (_, i) => put(`f${i}`, "")));
  const result = await createLsTool(operations).execute("c", {}, signal, ignore);
  assert.deepEqual(result.details, { path: ".", entries: 500, total: 501 });
});

test("find names files so that they can be read as named", async (t) => {
  const { operations, put } = await createToolWorkspace(t);
  const find = (params: { pattern: string; path?: string; limit?: number }) =>
    createFindTool(operations).execute("c", params, signal, ignore);
  for (const path of ["a.md", "docs/b.md", "docs/deep/c.md", "state/d.md", "docs/e.txt"]) await put(path, "");
  assert.equal(textOf(await find({ pattern: "*.md" })), "a.md\ndocs/b.md\ndocs/deep/c.md");
  assert.equal(textOf(await find({ pattern: "*.md", path: "docs" })), "docs/b.md\ndocs/deep/c.md");
  assert.match(textOf(await find({ pattern: "*.md", limit: 2 })), /docs\/b\.md\n\n\[The first 2 files; narrow/);
  assert.equal(textOf(await find({ pattern: "*.md", limit: 3 })), "a.md\ndocs/b.md\ndocs/deep/c.md");
  assert.equal(textOf(await find({ pattern: "*.rs" })), "No file matches *.rs.");
  await assert.rejects(find({ pattern: "*", path: "missing" }), { code: "FOLDER_NOT_FOUND" });
  await assert.rejects(find({ pattern: "*", path: "a.md" }), { code: "FOLDER_NOT_FOUND" });
  await assert.rejects(find({ pattern: "*", path: "/etc" }), { code: "PATH_REFUSED" });
});

test("grep finds lines, with context, in a folder or a file", async (t) => {
  const { operations, put } = await createToolWorkspace(t);
  const grep = (params: Parameters<ReturnType<typeof createGrepTool>["execute"]>[1]) =>
    createGrepTool(operations).execute("c", params, signal, ignore);
  await put("a.txt", "one\nTwo\nthree\r\n");
  await put("src/b.ts", "two * two\n");
  await put("src/ignored.log", "two\n");
  await put(".gitignore", "*.log\n");
  assert.equal(textOf(await grep({ pattern: "two" })), "src/b.ts:1: two * two");
  assert.equal(textOf(await grep({ pattern: "two", ignoreCase: true })), "a.txt:2: Two\nsrc/b.ts:1: two * two");
  assert.equal(textOf(await grep({ pattern: "two", ignoreCase: true, glob: "*.txt" })), "a.txt:2: Two");
  assert.equal(textOf(await grep({ pattern: "Two", context: 1 })), "a.txt-1- one\na.txt:2: Two\na.txt-3- three");
  assert.equal(textOf(await grep({ pattern: "two * two", literal: true })), "src/b.ts:1: two * two");
  assert.equal(textOf(await grep({ pattern: "one", path: "a.txt" })), "a.txt:1: one");
  assert.equal(textOf(await grep({ pattern: "nowhere" })), "Nothing matches nowhere.");
});

test("grep searches no ignored files, whatever glob it gets", async (t) => {
  const { operations, put } = await createToolWorkspace(t);
  const grep = async (glob: string, path = ".") =>
    textOf(await createGrepTool(operations).execute("c", { pattern: "hit", glob, path }, signal, ignore))
      .replaceAll(/:1: hit$/gm, "")
      .split("\n");
  await put(".gitignore", "*.log\nnode_modules\n");
  const files = ["a.ts", "src/b.ts", "src/deep/c.tsx", "lib/d.js", "we[i]rd.ts", "a:b.ts", "a.log"];
  for (const path of [...files, "node_modules/x/e.ts", "state/f.ts"]) await put(path, "hit\n");
  const nothing = ["Nothing matches hit."];
  const table: [string, string[]][] = [
    ["*.log", nothing],
    ["*", ["a.ts", "a:b.ts", "lib/d.js", "src/b.ts", "src/deep/c.tsx", "we[i]rd.ts"]],
    ["*.ts", ["a.ts", "a:b.ts", "src/b.ts", "we[i]rd.ts"]],
    ["*.{js,tsx}", ["lib/d.js", "src/deep/c.tsx"]],
    ["src/*.ts", ["src/b.ts"]],
    ["src/**", ["src/b.ts", "src/deep/c.tsx"]],
    ["**/*.ts", ["a.ts", "a:b.ts", "src/b.ts", "we[i]rd.ts"]],
    ["./*.ts", ["a.ts", "a:b.ts", "we[i]rd.ts"]],
    ["{lib,src/deep}/*", ["lib/d.js", "src/deep/c.tsx"]],
    ["{src/b,lib/d}.{ts,js}", ["lib/d.js", "src/b.ts"]],
    ["[ab].ts", ["a.ts", "src/b.ts"]],
    ["we\\[i\\]rd.ts", ["we[i]rd.ts"]],
    ["a:*", ["a:b.ts"]],
    ["node_modules/**", nothing],
    ["state/*", nothing],
    ["src/", nothing],
    ["*.{ts", nothing],
    ["!*.ts", ["lib/d.js", "src/deep/c.tsx"]],
  ];
  for (const [glob, found] of table) assert.deepEqual(await grep(glob), found, glob);
  assert.deepEqual(await grep("deep/*", "src"), ["src/deep/c.tsx"]);
  assert.deepEqual(await grep("*.md", "src/b.ts"), ["src/b.ts"]);
});

test("grep never shows hidden files, also when searching from above or through a link", async (t) => {
  const { operations, put, dir } = await createToolWorkspace(t);
  const grep = (path?: string) =>
    createGrepTool(operations).execute("c", { pattern: "key", context: 2, ...(path ? { path } : {}) }, signal, ignore);
  await put("state/auth.json", "before\nkey sk-1\nafter\n");
  await put("state-of-art.txt", "key open\n");
  await symlink("state", join(dir, "way-in"));
  assert.equal(textOf(await grep()), "state-of-art.txt:1: key open");
  for (const path of ["state", "state/auth.json", "way-in", "/etc"]) {
    await assert.rejects(grep(path), { code: "PATH_REFUSED" });
  }
});

test("grep takes no argument for an option", async (t) => {
  const { operations, put, dir } = await createToolWorkspace(t);
  const grep = (params: { pattern: string; glob?: string; path?: string }) =>
    createGrepTool(operations).execute("c", params, signal, ignore);
  await put("a.txt", "--pre=touch\n-e\n");
  await put("-v", "inside\n");
  assert.equal(textOf(await grep({ pattern: "--pre=touch" })), "a.txt:1: --pre=touch");
  assert.equal(textOf(await grep({ pattern: "-e" })), "a.txt:2: -e");
  assert.equal(textOf(await grep({ pattern: "inside", path: "-v" })), "-v:1: inside");
  assert.equal(textOf(await grep({ pattern: "x", glob: `--pre=touch ${dir}/pwned` })), "Nothing matches x.");
  assert.equal(await operations.stat("pwned"), undefined);
});

test("grep stops at its limits and says so", async (t) => {
  const { operations, put } = await createToolWorkspace(t);
  const grep = (pattern: string, limit?: number) =>
    createGrepTool(operations).execute("c", { pattern, ...(limit ? { limit } : {}) }, signal, ignore);
  await put("many.txt", "hit\n".repeat(500));
  await put("long.txt", `begin ${"ü".repeat(3000)} end\n`);
  const many = await grep("hit");
  assert.equal(many.details.matches, 100);
  assert.match(textOf(many), /\[The first 100 matches; narrow/);
  assert.equal((await grep("hit", 3)).details.matches, 3);
  const long = textOf(await grep("begin"));
  assert.match(long, /^long\.txt:1: begin ü{494}…$/);
});

test("grep shows the first matches by path, however ripgrep comes upon them, with their own context only", async (t) => {
  const { operations, put } = await createToolWorkspace(t);
  const grep = createGrepTool(operations);
  for (let n = 0; n < 60; n++) await put(`d${String(n).padStart(2, "0")}/f.txt`, "a\nhit\nb\nc\nd\nhit\ne\n");
  const found = await grep.execute("c", { pattern: "hit", limit: 3, context: 1 }, signal, ignore);
  assert.equal(
    textOf(found),
    [
      ...[
        "d00/f.txt-1- a",
        "d00/f.txt:2: hit",
        "d00/f.txt-3- b",
        "d00/f.txt-5- d",
        "d00/f.txt:6: hit",
        "d00/f.txt-7- e",
      ],
      ...["d01/f.txt-1- a", "d01/f.txt:2: hit", "d01/f.txt-3- b"],
      "\n[The first 3 matches; narrow the pattern, path or glob for the rest]",
    ].join("\n"),
  );
  const exactly = await grep.execute("c", { pattern: "hit", path: "d00", limit: 2 }, signal, ignore);
  assert.equal(textOf(exactly), "d00/f.txt:2: hit\nd00/f.txt:6: hit");
});

test("grep does not wait for the end of a search that has found far too much", async (t) => {
  const { operations, put } = await createToolWorkspace(t);
  for (let n = 0; n < 80; n++) await put(`f${n}`, "hit\n".repeat(200));
  const found = await createGrepTool(operations).execute("c", { pattern: "hit" }, signal, ignore);
  assert.equal(found.details.matches, 100);
  assert.match(textOf(found), /\[Some 100 matches; narrow/);
});

test("grep marks what it finds in the folders of chats, but for the owner's own", async (t) => {
  const { operations, put } = await createToolWorkspace(t);
  const ownChat = { folder: join(operations.cwd, "channels/slack/D1"), isOwners: true };
  const grep = (path: string) =>
    createGrepTool(operations, { ownChat }).execute("c", { pattern: "hit", path }, signal, ignore);
  await put("own.txt", "hit\n");
  await put("channels/slack/D1/log.jsonl", "hit\n");
  await put("channels/slack/C1/attachments/a.txt", "hit me\n");
  const found = await grep(".");
  assert.match(textOf(found), /^<outside source="files of chats".*a\.txt:1: hit me.*<\/outside /s);
  assert.match(found.outside ?? "", /attachments\/a\.txt$/);
  assert.equal((await grep("own.txt")).outside, undefined);
  assert.equal((await grep("channels/slack/D1")).outside, undefined);
});

test("grep explains a bad pattern and stops when aborted", async (t) => {
  const { operations, put } = await createToolWorkspace(t);
  await put("a.txt", "x\n");
  const grep = createGrepTool(operations);
  await assert.rejects(grep.execute("c", { pattern: "(" }, signal, ignore), {
    code: "GREP_FAILED",
    message: /unclosed group/,
  });
  await assert.rejects(grep.execute("c", { pattern: "x", path: "none" }, signal, ignore), { code: "FILE_NOT_FOUND" });
  await assert.rejects(grep.execute("c", { pattern: "x" }, AbortSignal.abort(), ignore), { code: "ABORTED" });
});
