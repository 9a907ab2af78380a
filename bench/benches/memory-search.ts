/**
 * Memory: how well it finds what was meant (the quality set, by words, by vectors and by both), what the local embedder takes, and how
 * long a search among 100,000 pieces is.
 */
import { join } from "node:path";
import { createSystemClock } from "../../src/base/clock.ts";
import type { Embedder, MemoryAnswer } from "../../src/contracts/memory.ts";
import { createEmbedder } from "../../src/memory/index.ts";
import { silentLog } from "../../test/fakes/log.ts";
import type { Bench } from "../bench.ts";
import { type Cost, type Figure, summarise, summariseCosts } from "../figure.ts";
import { askAll, type Found, judgeFound, loadQualitySet, openQualityMemory } from "../memory-quality.ts";
import type { MemorySearchOrders, MemorySearchResult } from "../memory-search-child.ts";
import { runChild } from "../run-child.ts";
import type { Workshop } from "../workshop.ts";

const childPath = join(import.meta.dirname, "..", "memory-search-child.ts");
const modes = ["text", "vector", "fused"] as const;
const kinds = ["paraphrase", "keyword", "name", "date"] as const;
const groups: Record<string, (found: Found) => boolean> = {
  all: () => true,
  English: ({ query }) => query.language === "en" && query.corpus === "en",
  Chinese: ({ query }) => query.language === "zh" && query.corpus === "zh",
  "one language asked in the other": ({ query }) => query.language !== query.corpus,
};
const mebibyte = 1024 * 1024;

export const memorySearchBench: Bench = {
  name: "memory-search",
  summary: "how well and how fast memory finds",
  async run(workshop) {
    return [...(await measureQuality(workshop)), ...(await measureSpeed(workshop))];
  },
};

async function measureQuality(workshop: Workshop): Promise<Figure[]> {
  const clock = createSystemClock();
  const residentBefore = process.memoryUsage().rss;
  const embedder = await createEmbedder(
    { fetch, clock, log: silentLog, keyOf: async () => undefined },
    { type: "local" },
  );
  if ("unavailable" in embedder) throw new Error(embedder.unavailable);
  const speed = await measureEmbedder(embedder, workshop, residentBefore);
  const set = await loadQualitySet(workshop.root);
  const memory = await openQualityMemory(set, { dir: await workshop.createFolder(), clock, embedder });
  try {
    const found = new Map<MemoryAnswer["mode"], Found[]>();
    for (const mode of modes) found.set(mode, await askAll(memory, set.queries, { mode }));
    const rows = Object.entries(groups).flatMap(([group, isIn]) =>
      modes.map((mode) => describeRecall(mode, group, (found.get(mode) ?? []).filter(isIn))),
    );
    return [
      ...rows,
      describeLead(found),
      ...modes.map((mode) => describeNegatives(mode, found.get(mode) ?? [])),
      ...speed,
    ];
  } finally {
    await memory.close();
  }
}

const isAnswerable = ({ query }: Found) => query.kind !== "negative";
const toPercent = (share: number) => Math.round(share * 1000) / 10;

function describeRecall(mode: string, group: string, all: readonly Found[]): Figure {
  const found = all.filter(isAnswerable);
  const { count, recallAt1, recallAt5, mrr } = judgeFound(found);
  const byKind = kinds.flatMap((kind) => {
    const some = found.filter(({ query }) => query.kind === kind);
    return some.length === 0 ? [] : [`${kind} ${toPercent(judgeFound(some).recallAt5)}`];
  });
  return {
    name: `memory recall@5, ${mode}, ${group}`,
    unit: "%",
    value: summarise([toPercent(recallAt5)]),
    ...(mode === "fused" && group === "all" && { target: { atLeast: 85 } }),
    note: `${count} questions; recall@1 ${toPercent(recallAt1)}, MRR ${mrr.toFixed(2)}; @5 by kind: ${byKind.join(", ")}`,
  };
}

/** Both together must find more than either alone. */
function describeLead(found: ReadonlyMap<MemoryAnswer["mode"], Found[]>): Figure {
  const recall = (mode: MemoryAnswer["mode"]) => judgeFound((found.get(mode) ?? []).filter(isAnswerable)).recallAt5;
  const lead = recall("fused") - Math.max(recall("text"), recall("vector"));
  return {
    name: "memory recall@5, fused above the better of the two",
    unit: "%",
    value: summarise([toPercent(lead)]),
    target: { atLeast: 0 },
  };
}

function describeNegatives(mode: string, all: readonly Found[]): Figure {
  const negatives = all.filter((found) => !isAnswerable(found));
  const wrong = negatives.filter(({ ids }) => ids.length > 0);
  const hits = negatives.reduce((sum, { ids }) => sum + ids.length, 0) / Math.max(1, negatives.length);
  return {
    name: `memory, ${mode}: questions without an answer that get hits`,
    unit: "%",
    value: summarise([toPercent(wrong.length / Math.max(1, negatives.length))]),
    note: `${negatives.length} questions, ${hits.toFixed(1)} hits each on average`,
  };
}

async function measureEmbedder(embedder: Embedder, workshop: Workshop, residentBefore: number): Promise<Figure[]> {
  const time = async (texts: readonly string[]) => {
    const costs: number[] = [];
    for (const text of texts) {
      const start = performance.now();
      await embedder.embed([text], "document");
      costs.push(performance.now() - start);
    }
    return costs;
  };
  const [first] = await time(["the very first text"]);
  const count = workshop.times(40, 8);
  const questions = Array.from({ length: count }, (_each, n) => `What did we decide about matter ${n} in spring?`);
  const sentence = "The harbour office asked for the tables in landscape format, with a comma as the decimal sign. ";
  const pieces = Array.from({ length: count / 4 }, (_each, n) => `${n}. ${sentence.repeat(17)}`);
  const short = await time(questions);
  const long = await time(pieces);
  const gained = (process.memoryUsage().rss - residentBefore) / mebibyte;
  return [
    {
      name: "local embedder, first text",
      unit: "ms",
      value: summarise([first ?? 0]),
      note: "thread, engine and weights",
    },
    { name: "local embedder, a question", unit: "ms", value: summarise(short) },
    { name: "local embedder, a piece of 400 tokens", unit: "ms", value: summarise(long) },
    { name: "local embedder, memory while it is loaded", unit: "MiB", value: summarise([gained]) },
  ];
}

async function measureSpeed(workshop: Workshop): Promise<Figure[]> {
  const pieceCount = workshop.times(100_000, 5000);
  const orders: MemorySearchOrders = { root: workshop.root, pieceCount, rounds: workshop.times(200, 30) };
  const result = await runChild<MemorySearchResult>(childPath, orders);
  const among = `among ${pieceCount.toLocaleString("en")} pieces`;
  const { fused, text, stranger, indexSeconds, vectorBytes, diskBytes, residentBytes } = result;
  const p95 = (costs: readonly Cost[]) => summariseCosts(costs).value.p95;
  const search = (what: string, costs: readonly Cost[]): Figure => ({
    name: `memory search ${among}${what}`,
    ...summariseCosts(costs),
    note: `p95 ${p95(costs).toFixed(1)} ms`,
  });
  return [
    search("", fused),
    { name: `memory search ${among}, p95`, unit: "ms", value: summarise([p95(fused)]), target: { atMost: 50 } },
    search(", by words alone", text),
    search(", none of them the asker's", stranger),
    {
      name: `memory index ${among}, sign bits`,
      unit: "MiB",
      value: summarise([vectorBytes / mebibyte]),
      note: `${(diskBytes / mebibyte).toFixed(0)} MiB on disk, the process ${(residentBytes / mebibyte).toFixed(0)} MiB larger, built in ${indexSeconds.toFixed(0)} s without the embedder's own time`,
    },
  ];
}
