/** A memory over a folder of its own, with an embedder that tests govern. The index is worked on in this thread. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { TestContext } from "node:test";
import type { Embedder, Memory, MemoryReader } from "../../src/contracts/memory.ts";
import { createEngine } from "../../src/memory/engine/create-engine.ts";
import { createMemory, type MemoryConfig, type MemorySourceRoots, memoryConfig } from "../../src/memory/index.ts";
import { tokenise } from "../../src/memory/text/tokenise.ts";
import { createFakeClock, type FakeClock } from "./clock.ts";
import { silentLog } from "./log.ts";

export interface FakeEmbedder extends Embedder {
  /** Every text that was embedded as a document. */
  readonly documents: string[];
  /** Calls, of either kind. */
  readonly calls: number;
  /** Called before each; may throw, or give other vectors. */
  hook: (texts: readonly string[], purpose: "query" | "document") => Float32Array[] | undefined;
  isClosed: boolean;
}

/** Words are the dimensions, as far as they go: texts that share words are near. */
export function createFakeEmbedder(id = "fake/words", dimensions = 64, batchSize = 4): FakeEmbedder {
  const documents: string[] = [];
  let calls = 0;
  const embedder: FakeEmbedder = {
    id,
    batchSize,
    documents,
    isClosed: false,
    hook: () => undefined,
    get calls() {
      return calls;
    },
    async embed(texts, purpose) {
      calls++;
      const given = embedder.hook(texts, purpose);
      if (purpose === "document") documents.push(...texts);
      return given ?? texts.map((text) => toVector(text, dimensions));
    },
    async close() {
      embedder.isClosed = true;
    },
  };
  return embedder;
}

export function toVector(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const word of tokenise(text)) {
    let hash = 7;
    for (const character of word) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
    vector[hash % dimensions] = (vector[hash % dimensions] ?? 0) + 1;
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

export interface MemoryStage {
  dir: string;
  workspaceDir: string;
  indexFile: string;
  clock: FakeClock;
  memory: Memory;
  config: MemoryConfig;
  /** What `createEmbedder` gives. */
  embedder: Embedder | { unavailable: string };
  roots: MemorySourceRoots;
  /** Types of what the thread was asked. */
  jobs: string[];
  write(path: string, text: string | Uint8Array): string;
  /** Another memory over the same files, as after a restart. */
  reopen(): Promise<void>;
}

export const owner: MemoryReader = { agentId: "main", type: "owner" };
export const inChat = (channelId: string): MemoryReader => ({
  agentId: "main",
  type: "chat",
  channel: { adapter: "slack", channelId },
});

export function createMemoryStage(t: TestContext, settings: unknown = {}): MemoryStage {
  const dir = mkdtempSync(join(tmpdir(), "mom-memory-"));
  const workspaceDir = join(dir, "workspace");
  mkdirSync(workspaceDir);
  const stage: Omit<MemoryStage, "memory"> & { memory?: Memory } = {
    dir,
    workspaceDir,
    indexFile: join(dir, "index", "main.db"),
    clock: createFakeClock(),
    config: memoryConfig.parse(settings),
    embedder: { unavailable: "there is none in this test" },
    roots: { workspaceDir, channelsRoot: workspaceDir },
    jobs: [],
    write(path, text) {
      const full = join(workspaceDir, path);
      mkdirSync(dirname(full), { recursive: true });
      writeFileSync(full, text);
      return full;
    },
    async reopen() {
      await stage.memory?.close();
      stage.memory = open();
    },
  };
  const open = () => {
    const engine = createEngine({ clock: stage.clock });
    return createMemory(
      {
        indexDir: join(dir, "index"),
        clock: stage.clock,
        log: silentLog,
        sources: () => stage.roots,
        channelFolder: ({ adapter, channelId }) => `channels/${adapter}/${channelId}`,
        resolveFolder: (path) => resolve(dir, path),
        createEmbedder: async () => stage.embedder,
        work: {
          run(job) {
            stage.jobs.push(job.type);
            return engine.run(structuredClone(job));
          },
          close: async () => engine.close(),
        },
      },
      () => stage.config,
    );
  };
  stage.memory = open();
  t.after(async () => {
    await stage.memory?.close();
    rmSync(dir, { recursive: true, force: true });
  });
  return stage as MemoryStage;
}
