import assert from "node:assert/strict";
import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { silentLog } from "../../test/fakes/log.ts";
import { createFakeEmbedder, createMemoryStage, inChat, owner } from "../../test/fakes/memory-stage.ts";
import { createSystemClock } from "../base/clock.ts";
import { createMemory, memoryConfig } from "./index.ts";

const notes = {
  "MEMORY.md": "# Memory\n\n- Anna was born on 14 March\n- The piano is tuned by Mr Weiss\n",
  "memory/2026-01-05.md":
    "# Decisions\n\n## Database\nWe decided to keep PostgreSQL for the billing.\n\n## 年会\n我们决定在上海开年会。\n",
  "memory/2026-02-11.md": "# Garden\nThe orchid needs water on Mondays.\n",
};

function open(t: Parameters<typeof createMemoryStage>[0], settings: unknown = {}) {
  const stage = createMemoryStage(t, settings);
  for (const [path, text] of Object.entries(notes)) stage.write(path, text);
  return stage;
}

test("a search gives path, lines, score, what was found and how to cite it", async (t) => {
  const { memory } = open(t);
  const { hits, mode } = await memory.search({ text: "what did we decide about databases" }, owner);
  assert.equal(mode, "text");
  const [hit] = hits;
  assert.deepEqual(hit, {
    path: "memory/2026-01-05.md",
    fromLine: 1,
    toLine: 4,
    score: hit?.score,
    snippet: "# Decisions\n\n## Database\nWe decided to keep PostgreSQL for the billing.",
    citation: "memory/2026-01-05.md#L1-L4",
  });
  assert.ok(hit && hit.score > 0.5 && hit.score <= 1);
});

test("other words of the same stem, Chinese, and the name of a file are found", async (t) => {
  const { memory } = open(t);
  const first = async (text: string) => (await memory.search({ text }, owner)).hits[0]?.citation;
  assert.equal(await first("deciding"), "memory/2026-01-05.md#L1-L4");
  assert.equal(await first("上海的年会"), "memory/2026-01-05.md#L6-L7");
  assert.equal(await first("2026-02-11"), "memory/2026-02-11.md#L1-L2");
  assert.equal(await first("zeppelin"), undefined);
});

test("what has little to do with the question is left out, unless it is asked for", async (t) => {
  const stage = open(t);
  stage.embedder = createFakeEmbedder("fake/words", 512);
  await stage.memory.index("main");
  const ask = async (minScore?: number) =>
    (await stage.memory.search({ text: "piano tuned by Weiss", ...(minScore !== undefined && { minScore }) }, owner))
      .hits;
  assert.deepEqual(
    (await ask()).map(({ path }) => path),
    ["MEMORY.md"],
  );
  assert.ok((await ask(0)).length > 1);
  assert.deepEqual(await ask(1), []);
});

test("questions that are empty or too long are refused, limits are kept", async (t) => {
  const { memory } = open(t);
  await assert.rejects(memory.search({ text: " \n" }, owner), { code: "MEMORY_QUERY_EMPTY" });
  await assert.rejects(memory.search({ text: "x".repeat(2001) }, owner), { code: "MEMORY_QUERY_TOO_LONG" });
  for (const text of ['"', "AND OR NOT (", "a* b^ words:x -y", "'; DROP TABLE chunks; --", "\u0000\ud800", "😀"]) {
    assert.ok((await memory.search({ text }, owner)).hits.length >= 0, text);
  }
  assert.equal(
    (await memory.search({ text: "orchid piano database", maxResults: 1, minScore: 0 }, owner)).hits.length,
    1,
  );
  const stopped = AbortSignal.abort();
  await assert.rejects(memory.search({ text: "orchid" }, owner, stopped), { code: "ABORTED" });
});

test("get gives lines, by range or by citation, and only of memory", async (t) => {
  const { memory, write } = open(t);
  const whole = await memory.get("MEMORY.md", undefined, owner);
  assert.deepEqual([whole.fromLine, whole.toLine, whole.totalLines], [1, 4, 4]);
  assert.equal((await memory.get("MEMORY.md", { from: 3, to: 3 }, owner)).text, "- Anna was born on 14 March");
  assert.equal((await memory.get("MEMORY.md#L4", undefined, owner)).text, "- The piano is tuned by Mr Weiss");
  assert.equal((await memory.get("./MEMORY.md", { from: 9 }, owner)).text, "");
  for (const lines of [{ from: 0 }, { from: 5, to: 4 }, { from: 1.5 }, { from: Number.NaN }]) {
    await assert.rejects(memory.get("MEMORY.md", lines, owner), { code: "MEMORY_LINES_INVALID" });
  }
  write("notes.md", "not memory\n");
  write("memory/long.md", "line\n".repeat(1000));
  const long = await memory.get("memory/long.md", undefined, owner);
  assert.deepEqual([long.toLine, long.totalLines], [400, 1000]);
  for (const path of [
    "notes.md",
    "memory",
    "memory/",
    "memory/nope.md",
    "memory/../notes.md",
    "memory//long.md",
    "",
    "MEMORY.md/x",
  ]) {
    await assert.rejects(memory.get(path, undefined, owner), { code: "MEMORY_PATH_UNKNOWN" }, path);
  }
  await assert.rejects(memory.get("MEMORY.md", undefined, inChat("C1")), { code: "MEMORY_PATH_UNKNOWN" });
});

test("newer notes go first where that is wanted", async (t) => {
  const stage = open(t);
  stage.write("memory/2025-01-01.md", "the ferry leaves at nine\n");
  stage.write("memory/2025-12-31.md", "the ferry leaves at nine\n");
  utimesSync(stage.write("memory/undated.md", "the ferry leaves at nine\n"), 0, 0);
  const ask = async () =>
    (await stage.memory.search({ text: "ferry leaves at nine" }, owner)).hits.map(({ path }) => path);
  assert.deepEqual(await ask(), ["memory/2025-01-01.md", "memory/2025-12-31.md", "memory/undated.md"]);
  stage.config = memoryConfig.parse({ recency: { halfLifeDays: 30 } });
  assert.deepEqual(await ask(), ["memory/2025-12-31.md", "memory/2025-01-01.md", "memory/undated.md"]);
});

test("results that repeat a better one go back where variety is wanted", async (t) => {
  const stage = open(t);
  for (const n of [1, 2, 3]) stage.write(`memory/same${n}.md`, "the ferry to the island leaves at nine\n");
  stage.write(
    "memory/other.md",
    "a ferry ticket for cars costs forty, dogs travel free, and the island has one shop\n",
  );
  const ask = async () =>
    (await stage.memory.search({ text: "ferry island", maxResults: 2, minScore: 0 }, owner)).hits.map(
      ({ path }) => path,
    );
  assert.deepEqual(await ask(), ["memory/same1.md", "memory/same2.md"]);
  stage.config = memoryConfig.parse({ diversity: 0.7 });
  assert.deepEqual(await ask(), ["memory/same1.md", "memory/other.md"]);
});

test("off: nothing is indexed or found, and the answer says so", async (t) => {
  const { memory } = open(t, { enabled: false });
  assert.match((await memory.search({ text: "orchid" }, owner)).note ?? "", /off/);
  assert.match((await memory.index("main")).note ?? "", /off/);
  memory.noteChange("main");
});

test("where the index cannot be written a search says so, and indexing fails with a code", async (t) => {
  const stage = open(t);
  writeFileSync(join(stage.dir, "index"), "in the way");
  const answer = await stage.memory.search({ text: "orchid" }, owner);
  assert.deepEqual(answer.hits, []);
  assert.match(answer.note ?? "", /could be searched/);
  await assert.rejects(stage.memory.index("main"), { code: "MEMORY_INDEX_FAILED" });
  rmSync(join(stage.dir, "index"));
  assert.equal((await stage.memory.search({ text: "orchid" }, owner)).hits.length, 1);
});

test("the other vector index finds the same", async (t) => {
  const stage = open(t);
  stage.embedder = createFakeEmbedder();
  await stage.memory.index("main");
  const ask = async () =>
    (await stage.memory.search({ text: "orchid needs water", mode: "vector", minScore: 0 }, owner)).hits;
  const bits = await ask();
  stage.config = memoryConfig.parse({ vectorIndex: "sqlite-vec" });
  const exact = await ask();
  assert.deepEqual(
    exact.map(({ citation }) => citation),
    bits.map(({ citation }) => citation),
  );
});

test("two that use one index see what the other has written", async (t) => {
  const stage = open(t);
  stage.embedder = createFakeEmbedder();
  await stage.memory.index("main");
  const thread = createMemory(
    {
      indexDir: join(stage.dir, "index"),
      clock: createSystemClock(),
      log: silentLog,
      sources: () => stage.roots,
      channelFolder: ({ adapter, channelId }) => `channels/${adapter}/${channelId}`,
      resolveFolder: (path) => path,
      createEmbedder: async () => createFakeEmbedder(),
    },
    () => stage.config,
  );
  t.after(() => thread.close());
  const find = async (memory: typeof thread) =>
    (await memory.search({ text: "zeppelin over the harbour", mode: "vector" }, owner)).hits[0]?.path;
  await find(stage.memory);
  assert.equal((await thread.search({ text: "orchid" }, owner)).hits[0]?.path, "memory/2026-02-11.md");
  stage.write("memory/new.md", "a zeppelin over the harbour\n");
  const status = await thread.index("main");
  assert.equal(status.embedded, status.chunks);
  assert.equal(await find(stage.memory), "memory/new.md");
  assert.equal(await find(thread), "memory/new.md");
});

test("names of agents that are no names of files do not meet or leave the folder", async (t) => {
  const stage = open(t);
  mkdirSync(join(stage.dir, "other"));
  for (const agentId of ["../escape", "Main", "a/b", ""]) {
    const { hits } = await stage.memory.search({ text: "orchid" }, { agentId, type: "owner" });
    assert.equal(hits.length, 1, agentId);
  }
  assert.deepEqual(readdirSync(stage.dir).sort(), ["index", "other", "workspace"]);
  assert.equal(readdirSync(join(stage.dir, "index")).filter((name) => name.endsWith(".db")).length, 4);
});
