/**
 * The inner side of the memory: does what the main side asks, one job at a time, on the few indexes that are open. What it
 * keeps in memory (sign bits, how rare words are) is read again whenever somebody else has written to the file.
 */
import { statSync } from "node:fs";
import type { Clock } from "../../contracts/clock.ts";
import type { IndexFacts, MemoryJob, MemoryReply } from "../memory-job.ts";
import { type IndexFile, isDamage, openIndexFile, setAside } from "./index-file.ts";
import { readMeta } from "./meta.ts";
import { searchIndex } from "./search-index.ts";
import { type ChangedChunks, type FileSync, planSync } from "./sync-files.ts";
import {
  countEmbedded,
  findGeneration,
  type Generation,
  keepVectors,
  type LoadedVectors,
  listMissing,
  loadVectors,
  restartVectors,
  settleVectors,
} from "./vectors.ts";
import { readWordFacts, type WordFacts } from "./word-facts.ts";

export interface Engine {
  /** Rejects where the disk does not let it. */
  run(job: MemoryJob): Promise<MemoryReply>;
  close(): void;
}

interface OpenIndex {
  index: IndexFile;
  version: number;
  sync?: FileSync;
  vectors?: LoadedVectors;
  facts?: WordFacts;
}

/** Each holds its sign bits. */
const mostOpen = 4;

export function createEngine({ clock }: { clock: Pick<Clock, "monotonic"> }): Engine {
  const open = new Map<string, OpenIndex>();

  const closeOne = (path: string) => {
    const found = open.get(path);
    open.delete(path);
    found?.vectors?.close();
    found?.index.close();
  };
  const enter = (path: string): OpenIndex => {
    const known = open.get(path);
    if (known) {
      open.delete(path);
      open.set(path, known);
      refresh(known);
      return known;
    }
    const [oldest] = open.keys();
    if (oldest !== undefined && open.size >= mostOpen) closeOne(oldest);
    const index = openIndexFile(path);
    const entered: OpenIndex = { index, version: index.dataVersion() };
    open.set(path, entered);
    return entered;
  };
  return {
    async run(job) {
      try {
        return await work(enter(job.file), job, clock);
      } catch (error) {
        if (!isDamage(error)) throw error;
        closeOne(job.file);
        return { type: "damaged", aside: setAside(job.file) };
      }
    },
    close() {
      for (const path of [...open.keys()]) closeOne(path);
    },
  };
}

/** Somebody else has written: what is held in memory may be wrong. */
function refresh(entered: OpenIndex): void {
  const version = entered.index.dataVersion();
  if (version === entered.version) return;
  entered.version = version;
  drop(entered);
}

function drop(entered: OpenIndex): void {
  entered.vectors?.close();
  delete entered.vectors;
  delete entered.facts;
}

async function work(entered: OpenIndex, job: MemoryJob, clock: Pick<Clock, "monotonic">): Promise<MemoryReply> {
  const { index } = entered;
  switch (job.type) {
    case "scan": {
      if (job.force) drop(entered);
      const onChange = (changed: ChangedChunks) => follow(entered, changed);
      entered.sync = await planSync(index, job.plan, { force: job.force, clock, onChange });
      const { left, total, folders } = entered.sync;
      return { type: "scanned", left, total, folders };
    }
    case "step": {
      if (!entered.sync) return { type: "stepped", left: 0, isLost: true };
      await entered.sync.step(job.maxMs, job.nowMs);
      const { left } = entered.sync;
      if (left === 0) delete entered.sync;
      return { type: "stepped", left, isLost: false };
    }
    case "missing":
      return { type: "missing", ...listMissing(index, job) };
    case "keep": {
      const isNewLength = keepVectors(index, job.embedder, job.items);
      const generation = findGeneration(index, job.embedder);
      if (entered.vectors && entered.vectors.generation.id === generation?.id) {
        entered.vectors.addTexts(job.items.map(({ hash }) => hash));
      }
      return { type: "kept", isNewLength };
    }
    case "settle":
      settleVectors(index, job.embedder, job.mayLack);
      return { type: "settled", settled: readMeta(index, "settled") };
    case "restart":
      restartVectors(index, job.embedder, job.dimensions);
      return { type: "settled", settled: readMeta(index, "settled") };
    case "search":
      return search(entered, job);
    case "status":
      return { type: "status", facts: readFacts(index, job.embedder) };
  }
}

async function search(entered: OpenIndex, job: Extract<MemoryJob, { type: "search" }>): Promise<MemoryReply> {
  const { index } = entered;
  entered.facts ??= readWordFacts(index);
  const generation = job.vector && findGeneration(index, job.vector.embedder);
  const hasOtherLength = generation !== undefined && generation.dimensions !== job.vector?.values.length;
  const vectors = generation && !hasOtherLength ? await enterVectors(entered, generation, job.vectorIndex) : undefined;
  const { hits, mode, searched } = searchIndex({ index, facts: entered.facts, vectors }, job);
  return { type: "found", hits, mode, searched: { ...searched, ...(hasOtherLength && { hasOtherLength }) } };
}

function follow(entered: OpenIndex, changed: ChangedChunks): void {
  delete entered.facts;
  entered.vectors?.follow(changed);
}

async function enterVectors(entered: OpenIndex, generation: Generation, kind: string): Promise<LoadedVectors> {
  const { vectors } = entered;
  if (vectors && vectors.generation.id === generation.id && vectors.kind === kind) return vectors;
  vectors?.close();
  delete entered.vectors;
  entered.vectors = await loadVectors(entered.index, generation, kind);
  return entered.vectors;
}

function readFacts(index: IndexFile, embedder: string | undefined): IndexFacts {
  const generation = embedder === undefined ? undefined : findGeneration(index, embedder);
  const settled = readMeta(index, "settled");
  const lastSyncAt = readMeta(index, "lastSyncAt");
  const count = (table: "files" | "chunks") => Number(index.get(`SELECT count(*) AS n FROM ${table}`)?.["n"]);
  return {
    files: count("files"),
    chunks: count("chunks"),
    embedded: countEmbedded(index, generation),
    ...(generation && { dimensions: generation.dimensions }),
    ...(settled !== undefined && { settled }),
    bytes: sizeOf(index.path) + sizeOf(`${index.path}-wal`),
    ...(lastSyncAt !== undefined && { lastSyncAt: Number(lastSyncAt) }),
    // Written by this room with `JSON.stringify`, so its shape is known.
    skipped: JSON.parse(readMeta(index, "skipped") ?? "[]"),
  };
}

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
