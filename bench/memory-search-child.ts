/** A large memory: how long searches in it take, and what its index holds. Started by benches/memory-search.ts. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSystemClock } from "../src/base/clock.ts";
import type { MemoryReader } from "../src/contracts/memory.ts";
import { createMemory, memoryConfig } from "../src/memory/index.ts";
import { createBitIndex } from "../src/memory/vector/index.ts";
import { silentLog } from "../test/fakes/log.ts";
import { createRandom } from "../test/fakes/vectors.ts";
import type { Cost } from "./figure.ts";
import { createSyntheticEmbedder, writeManyNotes } from "./memory-notes.ts";
import { loadQualitySet } from "./memory-quality.ts";
import { timeWork } from "./time-work.ts";

export interface MemorySearchOrders {
  root: string;
  pieceCount: number;
  rounds: number;
}

export interface MemorySearchResult {
  indexSeconds: number;
  /** Each search: the owner's, the same by words alone, and that of a chat that may read nothing of it. */
  fused: Cost[];
  text: Cost[];
  stranger: Cost[];
  /** Of the sign bits of all vectors, with the way from ids to them. */
  vectorBytes: number;
  /** Of the index on disk. */
  diskBytes: number;
  /** Resident memory that the whole process has gained. */
  residentBytes: number;
}

const agentId = "bench";
/** The first ones load the bits and run uncompiled code. */
const skippedRounds = 10;
const owner: MemoryReader = { agentId, type: "owner" };
const strangerReader: MemoryReader = { agentId, type: "chat", channel: { adapter: "slack", channelId: "C1" } };

const orders: MemorySearchOrders = JSON.parse(process.argv[2] ?? "{}");
const dir = await mkdtemp(join(tmpdir(), "mom-bench-memory-"));
try {
  process.send?.(await measure());
} finally {
  await rm(dir, { recursive: true, force: true });
}
process.disconnect();

async function measure(): Promise<MemorySearchResult> {
  const common = (await loadQualitySet(orders.root)).notes.en.flatMap(({ text }) => text.split(/\s+/));
  const samples = await writeManyNotes(dir, { pieceCount: orders.pieceCount, common, sampleCount: 200 });
  const residentBefore = process.memoryUsage().rss;
  const config = memoryConfig.parse({});
  const memory = createMemory(
    {
      indexDir: join(dir, "index"),
      clock: createSystemClock(),
      log: silentLog,
      sources: () => ({ workspaceDir: dir }),
      channelFolder: ({ adapter, channelId }) => `channels/${adapter}/${channelId}`,
      resolveFolder: (path) => path,
      createEmbedder: async () => createSyntheticEmbedder(),
    },
    () => config,
  );
  const start = performance.now();
  const { chunks, embedded, indexBytes } = await memory.index(agentId);
  const indexSeconds = (performance.now() - start) / 1000;
  if (chunks !== orders.pieceCount || embedded !== orders.pieceCount) {
    throw new Error(`${chunks} pieces and ${embedded} vectors, not ${orders.pieceCount}`);
  }
  const time = async (mode: "fused" | "text", reader: MemoryReader) => {
    const random = createRandom(5);
    const costs: Cost[] = [];
    for (let round = 0; round < skippedRounds + orders.rounds; round++) {
      const words = (samples[round % samples.length] ?? "").split(" ");
      const from = Math.floor(random() * (words.length - 8));
      const text = words.slice(from, from + 3 + (round % 6)).join(" ");
      const { cost, result } = await timeWork(() => memory.search({ text, mode, minScore: 0 }, reader));
      const { hits } = result;
      costs.push(cost);
      if ((hits.length === 0) === (reader === owner)) throw new Error(`"${text}" found ${hits.length} pieces`);
    }
    return costs.slice(skippedRounds);
  };
  const fused = await time("fused", owner);
  const text = await time("text", owner);
  const stranger = await time("fused", strangerReader);
  const residentBytes = process.memoryUsage().rss - residentBefore;
  await memory.close();
  return { indexSeconds, fused, text, stranger, vectorBytes: countBytes(), diskBytes: indexBytes, residentBytes };
}

function countBytes(): number {
  const index = createBitIndex({ readVector: () => undefined });
  const bits = new Uint32Array(12);
  for (let id = 1; id <= orders.pieceCount; id++) index.putBits([{ id, bits }], 384);
  return index.bytes;
}
