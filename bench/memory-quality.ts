/**
 * The quality set (test/fixtures/memory/) as two agents' memories, and how well a search finds in them what answers a question:
 * used by benches/memory-search.ts.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Clock } from "../src/contracts/clock.ts";
import type { Embedder, Memory, MemoryAnswer } from "../src/contracts/memory.ts";
import { createMemory, memoryConfig } from "../src/memory/index.ts";
import { silentLog } from "../test/fakes/log.ts";

export type Corpus = "en" | "zh";

export interface QualityQuery {
  id: string;
  language: Corpus;
  /** Whose notes are searched. */
  corpus: Corpus;
  kind: "paraphrase" | "keyword" | "name" | "date" | "negative";
  text: string;
  /** Ids of notes that answer it, best first; none for negatives. */
  right: string[];
}

export interface QualitySet {
  notes: Record<Corpus, { id: string; text: string }[]>;
  queries: QualityQuery[];
}

export async function loadQualitySet(root: string): Promise<QualitySet> {
  const folder = join(root, "test", "fixtures", "memory");
  const readNotes = async (corpus: Corpus) => {
    const text = await readFile(join(folder, `notes.${corpus}.md`), "utf8");
    const sections = text.split(/^## /m).slice(1);
    return sections.map((section) => {
      const end = section.indexOf("\n");
      return { id: section.slice(0, end).trim(), text: section.slice(end).trim() };
    });
  };
  const [en, zh] = [await readNotes("en"), await readNotes("zh")];
  return { notes: { en, zh }, queries: JSON.parse(await readFile(join(folder, "queries.json"), "utf8")) };
}

/** One agent per language, one file per note; everything indexed. `close` also ends the embedder. */
export async function openQualityMemory(
  set: QualitySet,
  { dir, clock, embedder }: { dir: string; clock: Clock; embedder: Embedder },
): Promise<Memory> {
  for (const corpus of ["en", "zh"] as const) {
    await mkdir(join(dir, corpus, "memory"), { recursive: true });
    for (const { id, text } of set.notes[corpus]) await writeFile(join(dir, corpus, "memory", `${id}.md`), `${text}\n`);
  }
  const config = memoryConfig.parse({});
  const memory = createMemory(
    {
      indexDir: join(dir, "index"),
      clock,
      log: silentLog,
      sources: (agentId) => ({ workspaceDir: join(dir, agentId) }),
      channelFolder: ({ adapter, channelId }) => `channels/${adapter}/${channelId}`,
      resolveFolder: (path) => path,
      createEmbedder: async () => embedder,
    },
    () => config,
  );
  for (const corpus of ["en", "zh"] as const) {
    const { chunks, embedded } = await memory.index(corpus);
    const expected = set.notes[corpus].length;
    if (chunks !== expected || embedded !== expected) {
      throw new Error(`${corpus}: ${chunks} chunks and ${embedded} vectors for ${expected} notes`);
    }
  }
  return memory;
}

export interface Found {
  query: QualityQuery;
  /** Ids of the notes that were found, best first, with their scores. */
  ids: string[];
  scores: number[];
}

/** Asks everything. `minScore` absent: what the product takes for noise is left out, as for a user. */
export async function askAll(
  memory: Memory,
  queries: readonly QualityQuery[],
  { mode, minScore, maxResults = 10 }: { mode: MemoryAnswer["mode"]; minScore?: number; maxResults?: number },
): Promise<Found[]> {
  const found: Found[] = [];
  for (const query of queries) {
    const asked = { text: query.text, mode, maxResults, ...(minScore !== undefined && { minScore }) };
    const answer = await memory.search(asked, { agentId: query.corpus, type: "owner" });
    if (answer.mode !== mode) throw new Error(`"${query.text}" was searched as ${answer.mode}: ${answer.note}`);
    const ids = answer.hits.map(({ path }) => basename(path, ".md"));
    found.push({ query, ids, scores: answer.hits.map(({ score }) => score) });
  }
  return found;
}

export interface Quality {
  count: number;
  /** Shares of the questions whose best answer, or one of whose answers, is first or among the first five. */
  recallAt1: number;
  recallAt5: number;
  /** Mean of 1 / the place of the first right note. */
  mrr: number;
}

export function judgeFound(found: readonly Found[]): Quality {
  const places = found.map(({ query, ids }) => ids.findIndex((id) => query.right.includes(id)));
  const share = (isGood: (place: number) => boolean) => places.filter(isGood).length / Math.max(1, places.length);
  return {
    count: places.length,
    recallAt1: share((place) => place === 0),
    recallAt5: share((place) => place >= 0 && place < 5),
    mrr: places.reduce((sum, place) => sum + (place < 0 ? 0 : 1 / (place + 1)), 0) / Math.max(1, places.length),
  };
}
