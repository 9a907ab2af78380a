/** The index follows the files, whatever happens to them; what cannot be read is left out with the reason. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import {
  createFakeEmbedder,
  createMemoryStage,
  inChat,
  type MemoryStage,
  owner,
} from "../../test/fakes/memory-stage.ts";
import { listSources } from "./sources/list-sources.ts";
import { readSource } from "./sources/read-source.ts";

async function find(stage: MemoryStage, text: string): Promise<string[]> {
  stage.memory.noteChange("main");
  const { hits } = await stage.memory.search({ text, mode: "text" }, owner);
  return hits.map(({ citation }) => citation).sort();
}

const changes: { name: string; make(stage: MemoryStage): void; orchid: string[]; piano: string[] }[] = [
  { name: "nothing", make: () => undefined, orchid: ["memory/a.md#L1"], piano: ["memory/b.md#L1"] },
  {
    name: "a line is added",
    make: (stage) => appendFileSync(join(stage.workspaceDir, "memory/a.md"), "\n# More\npiano\n"),
    orchid: ["memory/a.md#L1"],
    piano: ["memory/a.md#L3-L4", "memory/b.md#L1"],
  },
  {
    name: "a file is deleted",
    make: (stage) => rmSync(join(stage.workspaceDir, "memory/b.md")),
    orchid: ["memory/a.md#L1"],
    piano: [],
  },
  {
    name: "a file is renamed",
    make: (stage) => renameSync(join(stage.workspaceDir, "memory/a.md"), join(stage.workspaceDir, "memory/z.md")),
    orchid: ["memory/z.md#L1"],
    piano: ["memory/b.md#L1"],
  },
  {
    name: "a file is replaced by another of the same length and time",
    make: (stage) => {
      const path = join(stage.workspaceDir, "memory/a.md");
      writeFileSync(path, "the pianos\n");
      utimesSync(path, 1, 1);
    },
    orchid: [],
    piano: ["memory/a.md#L1", "memory/b.md#L1"],
  },
  {
    name: "a file becomes a folder",
    make: (stage) => {
      rmSync(join(stage.workspaceDir, "memory/a.md"));
      stage.write("memory/a.md/inner.md", "the orchid inside\n");
    },
    orchid: ["memory/a.md/inner.md#L1"],
    piano: ["memory/b.md#L1"],
  },
  {
    name: "the whole folder goes",
    make: (stage) => rmSync(join(stage.workspaceDir, "memory"), { recursive: true }),
    orchid: [],
    piano: [],
  },
  {
    name: "a file becomes empty",
    make: (stage) => truncateSync(join(stage.workspaceDir, "memory/a.md"), 0),
    orchid: [],
    piano: ["memory/b.md#L1"],
  },
];

for (const { name, make, orchid, piano } of changes) {
  test(`the index follows: ${name}`, async (t) => {
    const stage = createMemoryStage(t);
    const path = stage.write("memory/a.md", "the orchid\n");
    utimesSync(path, 1, 1);
    stage.write("memory/b.md", "a piano\n");
    assert.deepEqual(await find(stage, "orchid"), ["memory/a.md#L1"]);
    make(stage);
    assert.deepEqual([await find(stage, "orchid"), await find(stage, "piano")], [orchid, piano]);
    await stage.reopen();
    assert.deepEqual([await find(stage, "orchid"), await find(stage, "piano")], [orchid, piano]);
  });
}

test("a change that nobody tells of is seen after a while", async (t) => {
  const stage = createMemoryStage(t);
  const search = async () => (await stage.memory.search({ text: "orchid", mode: "text" }, owner)).hits.length;
  assert.equal(await search(), 0);
  stage.write("MEMORY.md", "orchid\n");
  assert.equal(await search(), 0);
  await stage.clock.advance(11_000);
  assert.equal(await search(), 1);
});

test("a change that is told of is read without anybody asking", async (t) => {
  const stage = createMemoryStage(t);
  const embedder = createFakeEmbedder();
  stage.embedder = embedder;
  await stage.memory.index("main");
  stage.write("MEMORY.md", "orchid\n");
  stage.memory.noteChange("main");
  stage.memory.noteChange("main");
  await stage.clock.advance(5000);
  await stage.memory.status("main");
  while (embedder.documents.length === 0) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(embedder.documents, ["orchid"]);
});

test("what is no plain small text is left out, and the reason is told", async (t) => {
  const stage = createMemoryStage(t);
  stage.write("memory/good.md", "orchid\n");
  stage.write("memory/binary.md", new Uint8Array([111, 114, 0, 104]));
  stage.write("memory/huge.md", "orchid ".repeat(400_000));
  stage.write("memory/latin.md", new Uint8Array([...Buffer.from("orchid "), 0xe9, 0xff, 0x0a]));
  stage.write("memory/.hidden.md", "orchid\n");
  stage.write("memory/picture.png", "orchid\n");
  stage.write("memory/crlf.md", "one\r\n\r\norchid\r\n");
  writeFileSync(join(stage.dir, "secret.md"), "orchid\n");
  symlinkSync(join(stage.dir, "secret.md"), join(stage.workspaceDir, "memory/link.md"));
  symlinkSync(stage.dir, join(stage.workspaceDir, "memory/folder"));
  execFileSync("mkfifo", [join(stage.workspaceDir, "memory/pipe.md")]);
  const status = await stage.memory.index("main");
  assert.deepEqual(await find(stage, "orchid"), ["memory/crlf.md#L1-L3", "memory/good.md#L1", "memory/latin.md#L1"]);
  const reasons = Object.fromEntries(status.skipped.map(({ path, reason }) => [path, reason]));
  assert.deepEqual(reasons, {
    "memory/binary.md": "it is not text (it has NUL bytes)",
    "memory/huge.md": "it is larger than 2 MB",
    "memory/link.md": "it is a link",
    "memory/pipe.md": "it is not a regular file",
  });
  for (const path of [
    "memory/link.md",
    "memory/folder/secret.md",
    "memory/../../secret.md",
    "/etc/passwd",
    "../secret.md",
    "memory/pipe.md",
  ]) {
    await assert.rejects(stage.memory.get(path, undefined, owner), /MEMORY|memory/, path);
  }
});

test("a folder that becomes a link between looking and reading is not followed", async (t) => {
  const stage = createMemoryStage(t);
  stage.write("memory/in/a.md", "orchid\n");
  const plan = { workspaceDir: stage.workspaceDir, transcripts: [], folders: [] };
  const [source] = (await listSources(plan)).sources;
  assert.ok(source);
  rmSync(join(stage.workspaceDir, "memory/in"), { recursive: true });
  mkdirSync(join(stage.dir, "elsewhere"));
  writeFileSync(join(stage.dir, "elsewhere/a.md"), "secret\n");
  symlinkSync(join(stage.dir, "elsewhere"), join(stage.workspaceDir, "memory/in"));
  assert.deepEqual(await readSource(source), { type: "unusable", reason: "it is reached through a link" });
  rmSync(join(stage.workspaceDir, "memory/in"));
  assert.deepEqual(await readSource(source), { type: "absent" });
});

test("numbers of files, entries and folders have limits", async (t) => {
  const stage = createMemoryStage(t);
  for (let n = 0; n < 20; n++) stage.write(`memory/${n}.md`, "x\n");
  stage.write(`memory/${"d/".repeat(20)}deep.md`, "x\n");
  const plan = { workspaceDir: stage.workspaceDir, transcripts: [], folders: [] };
  const few = await listSources(plan, { maxFiles: 5, maxEntries: 1000, maxDepth: 16 });
  assert.equal(few.sources.length, 5);
  assert.match(few.skipped.at(-1)?.reason ?? "", /more than 5 files/);
  const deep = await listSources(plan, { maxFiles: 100, maxEntries: 1000, maxDepth: 16 });
  assert.equal(deep.sources.length, 20);
  assert.match(deep.skipped[0]?.reason ?? "", /deeper/);
  const narrow = await listSources(plan, { maxFiles: 100, maxEntries: 10, maxDepth: 16 });
  assert.match(narrow.skipped.at(-1)?.reason ?? "", /more than 10 files and folders/);
});

test("folders of the config and conversations are searched where the config says so", async (t) => {
  const stage = createMemoryStage(t, {
    sessions: true,
    folders: [
      { name: "docs", path: "docs", visibility: "shared" },
      { name: "gone", path: "gone" },
    ],
  });
  mkdirSync(join(stage.dir, "docs"));
  writeFileSync(join(stage.dir, "docs/manual.txt"), "the orchid manual\n");
  const lines = [
    JSON.stringify({ type: "session", version: 3, id: "s" }),
    JSON.stringify({ type: "message", message: { role: "user", content: "where is the orchid?" } }),
    "{ torn",
    JSON.stringify({ type: "message", message: { role: "toolResult", content: [{ type: "text", text: "orchid" }] } }),
    JSON.stringify({
      type: "message",
      message: { role: "assistant", content: [{ type: "text", text: "By the\nwindow." }] },
    }),
  ];
  stage.write("channels/slack/C1/context.jsonl", `${lines.join("\n")}\n`);
  const channel = { adapter: "slack", channelId: "C1" };
  const transcript = { name: "agent:main:group:slack:C1", path: "channels/slack/C1/context.jsonl" };
  stage.roots = { ...stage.roots, transcripts: [{ ...transcript, visibility: { type: "chat", channel } }] };
  await stage.memory.index("main");
  const seek = async (reader: typeof owner) =>
    (await stage.memory.search({ text: "orchid", mode: "text" }, reader)).hits.map(({ citation }) => citation).sort();
  assert.deepEqual(await seek(owner), ["extra/docs/manual.txt#L1", "sessions/agent:main:group:slack:C1#L2-L5"]);
  assert.deepEqual(await seek(inChat("C2")), ["extra/docs/manual.txt#L1"]);
  const text = await stage.memory.get("sessions/agent:main:group:slack:C1#L2-L5", undefined, inChat("C1"));
  assert.equal(text.text, "User: where is the orchid?\nAssistant: By the\nwindow.");
  await assert.rejects(stage.memory.get("sessions/agent:main:group:slack:C1", undefined, inChat("C2")), {
    code: "MEMORY_PATH_UNKNOWN",
  });
  stage.config.sessions = false;
  await stage.memory.index("main");
  assert.deepEqual(await seek(owner), ["extra/docs/manual.txt#L1"]);
});

test("a file that is damaged is set aside, and the index is built anew", async (t) => {
  const stage = createMemoryStage(t);
  stage.embedder = createFakeEmbedder();
  stage.write("MEMORY.md", "orchid\n");
  await stage.memory.index("main");
  for (const bytes of ["no database at all, but long enough to be looked at ".repeat(50), ""]) {
    await stage.memory.close();
    writeFileSync(stage.indexFile, bytes);
    rmSync(`${stage.indexFile}-wal`, { force: true });
    await stage.reopen();
    assert.deepEqual(await find(stage, "orchid"), ["MEMORY.md#L1"]);
  }
});

test("a page in the middle that is damaged costs the index, not the search", async (t) => {
  const stage = createMemoryStage(t);
  for (let n = 0; n < 200; n++) stage.write(`memory/${n}.md`, `orchid ${n} ${"words of all kinds ".repeat(30)}\n`);
  await stage.memory.index("main");
  await stage.memory.close();
  const file = openSync(stage.indexFile, "r+");
  const junk = Buffer.alloc(4096, 0xa5);
  for (let at = 4096 * 3; at < statSync(stage.indexFile).size; at += 4096 * 2) writeSync(file, junk, 0, 4096, at);
  closeSync(file);
  await stage.reopen();
  await stage.memory.search({ text: "orchid", mode: "text" }, owner);
  await stage.memory.index("main");
  const { hits } = await stage.memory.search({ text: "orchid", mode: "text", minScore: 0 }, owner);
  assert.equal(hits.length, 10);
});

test("a change that is told of and is none does not wake the thread", async (t) => {
  const stage = createMemoryStage(t);
  stage.write("memory/a.md", "orchid\n");
  await stage.memory.index("main");
  // Long enough for the few files to be looked at many times over.
  const settle = async () => {
    stage.memory.noteChange("main");
    for (let n = 0; n < 300; n++) {
      await stage.clock.advance(100);
      await stat(stage.workspaceDir);
    }
  };
  await settle();
  const before = stage.jobs.length;
  await settle();
  assert.equal(stage.jobs.length, before);
  stage.write("memory/a.md", "violet\n");
  await settle();
  assert.ok(stage.jobs.slice(before).includes("scan"));
});
