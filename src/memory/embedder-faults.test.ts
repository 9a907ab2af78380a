/** Embedders fail, change and go: the index stays whole, what is there goes on answering, and nothing is embedded twice. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createFakeEmbedder,
  createMemoryStage,
  type FakeEmbedder,
  type MemoryStage,
  owner,
  toVector,
} from "../../test/fakes/memory-stage.ts";
import { EmbedError } from "./embed/embed-error.ts";

function open(
  t: Parameters<typeof createMemoryStage>[0],
  files: number,
  embedder: FakeEmbedder = createFakeEmbedder(),
) {
  const stage = createMemoryStage(t);
  stage.embedder = embedder;
  for (let n = 0; n < files; n++) stage.write(`memory/n${n}.md`, `orchid number ${n}\n`);
  return { stage, embedder };
}

/** Lets time go on until the work is done. */
async function passTime<T>(stage: MemoryStage, work: Promise<T>): Promise<T> {
  let isOver = false;
  void work.finally(() => {
    isOver = true;
  });
  for (let n = 0; n < 5000 && !isOver; n++) await stage.clock.advance(1000);
  return work;
}

const search = (stage: MemoryStage, text = "orchid number 3") => stage.memory.search({ text }, owner);

test("an unchanged piece is never embedded again: not after a restart, a move, or a change beside it", async (t) => {
  const { stage, embedder } = open(t, 10);
  await stage.memory.index("main");
  assert.equal(embedder.documents.length, 10);
  await stage.memory.index("main");
  await stage.reopen();
  stage.write("memory/moved.md", "orchid number 4\n");
  stage.write("memory/n5.md", "orchid number 5\n\n# New\nviolet\n");
  const status = await stage.memory.index("main");
  assert.deepEqual(embedder.documents.slice(10), ["New\n\n# New\nviolet"]);
  assert.deepEqual([status.chunks, status.embedded], [12, 12]);
});

test("force embeds all of it again", async (t) => {
  const { stage, embedder } = open(t, 3);
  await stage.memory.index("main");
  const status = await stage.memory.index("main", { force: true });
  assert.equal(embedder.documents.length, 6);
  assert.deepEqual([status.chunks, status.embedded], [3, 3]);
});

test("one that fails in the middle is tried again, and nothing is lost or doubled", async (t) => {
  const { stage, embedder } = open(t, 10);
  let failures = 3;
  embedder.hook = (_, purpose) => {
    if (purpose === "document" && embedder.documents.length >= 4 && failures-- > 0) {
      throw new EmbedError("EMBED_FAILED", "busy", { retryable: true });
    }
    return undefined;
  };
  const status = await passTime(stage, stage.memory.index("main"));
  assert.deepEqual([status.embedded, status.state, status.note], [10, "idle", undefined]);
  assert.equal(new Set(embedder.documents).size, embedder.documents.length);
});

test("one that goes on failing is told of; text answers, and what has a vector keeps it", async (t) => {
  const { stage, embedder } = open(t, 10);
  let isBroken = true;
  embedder.hook = () => {
    if (isBroken && embedder.documents.length >= 4)
      throw new EmbedError("EMBED_FAILED", "no such key", { status: 401 });
    return undefined;
  };
  const status = await passTime(stage, stage.memory.index("main"));
  assert.deepEqual([status.embedded, status.note], [4, "no such key"]);
  const answer = await search(stage);
  assert.equal(answer.mode, "text");
  assert.match(answer.note ?? "", /words alone: no such key/);
  assert.ok(answer.hits.some(({ path }) => path === "memory/n3.md"));
  isBroken = false;
  await stage.clock.advance(6 * 60_000);
  const mended = await passTime(stage, stage.memory.index("main"));
  assert.deepEqual([mended.embedded, mended.note], [10, undefined]);
  assert.equal((await search(stage)).mode, "fused");
});

test("a text that it does not take is passed over, and the others have their vectors", async (t) => {
  const { stage, embedder } = open(t, 10);
  embedder.hook = (texts, purpose) => {
    if (purpose === "document" && texts.some((text) => text.includes("number 6"))) {
      throw new EmbedError("EMBED_REFUSED", "too strange", { status: 400 });
    }
    return undefined;
  };
  const status = await passTime(stage, stage.memory.index("main"));
  assert.deepEqual([status.chunks, status.embedded], [10, 9]);
  const { hits, note } = await search(stage, "orchid number 6");
  assert.ok(hits.some(({ path }) => path === "memory/n6.md"));
  assert.match(note ?? "", /Of 10 pieces 9/);
});

const bad: { name: string; vectors(texts: readonly string[]): Float32Array[] }[] = [
  { name: "too few", vectors: (texts) => texts.slice(1).map((text) => toVector(text, 64)) },
  { name: "none", vectors: () => [] },
  { name: "empty ones", vectors: (texts) => texts.map(() => new Float32Array()) },
  { name: "of different lengths", vectors: (texts) => texts.map((text, n) => toVector(text, n === 0 ? 64 : 32)) },
  { name: "not numbers", vectors: (texts) => texts.map(() => new Float32Array(64).fill(Number.NaN)) },
];

for (const { name, vectors } of bad) {
  test(`vectors that cannot be used are not kept: ${name}`, async (t) => {
    const { stage, embedder } = open(t, 6);
    embedder.hook = (texts) => (texts.length > 1 ? vectors(texts) : undefined);
    const status = await passTime(stage, stage.memory.index("main"));
    assert.equal(status.embedded, 0);
    assert.match(status.note ?? "", /fake\/words cannot be used/);
    assert.equal((await search(stage)).hits[0]?.path, "memory/n3.md");
  });
}

test("one whose vectors change their length for good is followed", async (t) => {
  const { stage, embedder } = open(t, 10);
  await stage.memory.index("main");
  embedder.hook = (texts) => texts.map((text) => toVector(text, 48));
  stage.write("memory/new.md", "violet\n");
  const status = await stage.memory.index("main");
  assert.deepEqual([status.dimensions, status.embedded, status.chunks], [48, 11, 11]);
  assert.equal((await search(stage)).mode, "fused");
});

test("a question of another length begins new vectors; until they are there words answer", async (t) => {
  const { stage, embedder } = open(t, 10);
  await stage.memory.index("main");
  embedder.hook = (texts) => texts.map((text) => toVector(text, 48));
  const answer = await search(stage);
  assert.equal(answer.mode, "text");
  assert.ok(answer.hits.length > 0);
  for (let n = 0; n < 200 && (await search(stage)).mode === "text"; n++) await stage.clock.advance(10);
  const status = await stage.memory.index("main");
  assert.deepEqual([status.dimensions, status.embedded], [48, 10]);
});

test("one whose length changes from call to call is given up, and words answer", async (t) => {
  const { stage, embedder } = open(t, 30);
  embedder.hook = (texts, purpose) =>
    texts.map((text) => toVector(text, purpose === "query" ? 64 : 32 + embedder.calls));
  const status = await passTime(stage, stage.memory.index("main"));
  assert.match(status.note ?? "", /changes their length/);
  assert.ok((await search(stage)).hits.length > 0);
});

test("another model is brought in while the old one answers, and then the old one goes", async (t) => {
  const { stage, embedder: old } = open(t, 12);
  await stage.memory.index("main");
  const next = createFakeEmbedder("fake/next", 32);
  const gate = Promise.withResolvers<void>();
  const embed = next.embed.bind(next);
  next.embed = async (texts, purpose, signal) => {
    if (purpose === "document" && next.documents.length >= 4) await gate.promise;
    return embed(texts, purpose, signal);
  };
  stage.embedder = next;
  stage.config = { ...stage.config, embedder: { ...stage.config.embedder, model: "next" } };
  const indexing = stage.memory.index("main");
  while (next.documents.length < 4) await stage.clock.advance(1);
  const queries = old.calls;
  const meanwhile = await search(stage);
  assert.deepEqual([meanwhile.mode, meanwhile.note, meanwhile.hits[0]?.path], ["fused", undefined, "memory/n3.md"]);
  assert.equal(old.calls, queries + 1, "the question went to the old one");
  assert.equal(old.isClosed, false);
  gate.resolve();
  const status = await indexing;
  assert.deepEqual([status.embedder, status.dimensions, status.embedded], ["fake/next", 32, 12]);
  assert.equal((await search(stage)).hits[0]?.path, "memory/n3.md");
  assert.equal(old.isClosed, true);
});

test("without an embedder words are searched and the answer says so", async (t) => {
  const { stage } = open(t, 3);
  stage.embedder = { unavailable: "no package" };
  const answer = await search(stage);
  assert.deepEqual([answer.mode, answer.note], ["text", "Searched by words alone: no package."]);
  const status = await stage.memory.status("main");
  assert.deepEqual([status.embedder, status.note], [undefined, "no package"]);
});

test("one that never answers a question does not keep the answer", async (t) => {
  const { stage, embedder } = open(t, 3);
  await stage.memory.index("main");
  embedder.embed = () => new Promise(() => undefined);
  const answer = await passTime(stage, search(stage));
  assert.equal(answer.mode, "text");
  assert.match(answer.note ?? "", /No answer within/);
});

test("closing in the middle ends at once and leaves the index whole", async (t) => {
  const { stage, embedder } = open(t, 40);
  const begun = Promise.withResolvers<void>();
  embedder.hook = () => {
    if (embedder.documents.length >= 8) begun.resolve();
    return undefined;
  };
  const indexing = stage.memory.index("main").catch((error: unknown) => error);
  await begun.promise;
  await stage.reopen();
  await indexing;
  embedder.isClosed = false;
  const status = await stage.memory.index("main");
  assert.deepEqual([status.chunks, status.embedded], [40, 40]);
  assert.equal(new Set(embedder.documents).size, 40);
});

test("who does not want to wait for the indexing any longer need not; it goes on for the others", async (t) => {
  const { stage, embedder } = open(t, 8);
  const gate = Promise.withResolvers<void>();
  const embed = embedder.embed.bind(embedder);
  embedder.embed = async (texts, purpose) => {
    await gate.promise;
    return embed(texts, purpose);
  };
  const waiting = stage.memory.index("main");
  const stop = new AbortController();
  const impatient = stage.memory.index("main", { signal: stop.signal });
  stop.abort();
  await assert.rejects(impatient, { code: "ABORTED" });
  gate.resolve();
  assert.equal((await waiting).embedded, 8);
});
