/**
 * What is remembered (spec 7). Files are the truth; the index behind this port can be deleted and is built anew. Every way to
 * a line goes through a reader, so that nobody is shown what they may not read.
 */
import type { ChannelRef } from "./message.ts";

/**
 * Who asks. `owner`: the agent's owner, everything that is this agent's. `chat`: whoever speaks in that chat: what belongs to
 * that chat, and what is shared with all.
 */
export type MemoryReader = { agentId: string } & ({ type: "owner" } | { type: "chat"; channel: ChannelRef });

/** To whom a file's lines belong. `chat`: to that chat and the owner. `shared`: to everybody who talks to the agent. */
export type MemoryVisibility = { type: "owner" } | { type: "shared" } | { type: "chat"; channel: ChannelRef };

export interface MemoryHit {
  /** As `get` takes it: relative to the agent's workspace, or `extra/<name>/…`, `sessions/…`. */
  path: string;
  /** Counted from 1, both included. */
  fromLine: number;
  toLine: number;
  /** 0 to 1. */
  score: number;
  /** What was found, cut to a few lines. */
  snippet: string;
  /** `path#L10-L20` */
  citation: string;
}

export interface MemoryAnswer {
  hits: MemoryHit[];
  /** How it was searched. */
  mode: "fused" | "vector" | "text";
  /** Said to whoever asked: why only text was searched, that the index is still being built. */
  note?: string;
}

export interface MemoryText {
  path: string;
  fromLine: number;
  toLine: number;
  /** Of the whole file. */
  totalLines: number;
  text: string;
}

export interface MemoryStatus {
  agentId: string;
  files: number;
  chunks: number;
  /** Chunks that have a vector of the present embedder. */
  embedded: number;
  /** `local/minilm`; absent: none can be had, and `note` says why. */
  embedder?: string;
  dimensions?: number;
  state: "idle" | "indexing" | "waiting";
  /** Of what is being indexed. */
  progress?: { done: number; total: number };
  /** Bytes on disk. */
  indexBytes: number;
  /** Milliseconds since the epoch. */
  lastSyncAt?: number;
  /** Files that were left out, with the reason; bounded. */
  skipped: { path: string; reason: string }[];
  note?: string;
}

export interface Memory {
  /**
   * Never throws for what a file or an embedder does: then the answer is poorer and says so. `maxResults` absent: 10.
   * `minScore` absent: what is told from noise. A query that is empty or too long throws a coded error.
   */
  search(
    query: { text: string; maxResults?: number; minScore?: number; mode?: MemoryAnswer["mode"] },
    reader: MemoryReader,
    signal?: AbortSignal,
  ): Promise<MemoryAnswer>;
  /** `lines` absent: from the first, as far as the limit goes. Throws a coded error for what is no memory file of this reader. */
  get(path: string, lines: { from: number; to?: number } | undefined, reader: MemoryReader): Promise<MemoryText>;
  /** Brings the index up to date. `force`: as if nothing had been indexed. Resolves when it is. */
  index(agentId: string, options?: { force?: boolean; signal?: AbortSignal }): Promise<MemoryStatus>;
  status(agentId: string): Promise<MemoryStatus>;
  /** Files may have changed (a session begins, a turn has written). Quick; the work is done later. */
  noteChange(agentId: string): void;
  close(): Promise<void>;
}

/** Turns texts into vectors. Unit length, always the same number of dimensions. */
export interface Embedder {
  /** `openai/text-embedding-3-small`: vectors of different ids cannot be compared. */
  readonly id: string;
  /** Texts at a time that it likes best. */
  readonly batchSize: number;
  /** In order, one each. Throws an `EmbedError` (`retryable` tells whether later may be better). */
  embed(texts: readonly string[], purpose: "query" | "document", signal?: AbortSignal): Promise<Float32Array[]>;
  close(): Promise<void>;
}

/** Nearest vectors. One contract suite, several implementations (`test/contract/vector-index.ts`). */
export interface VectorIndex {
  readonly name: string;
  /** Adds, or puts in the place of the one there was. Throws `EMBED_DIMENSION` where the length differs from the others'. */
  put(items: readonly { id: number; vector: Float32Array }[]): void;
  remove(ids: readonly number[]): void;
  /** Cosine, best first; only of `allowed` (absent: all). */
  nearest(query: Float32Array, k: number, allowed?: (id: number) => boolean): { id: number; score: number }[];
  readonly size: number;
  /** What it holds in memory. */
  readonly bytes: number;
}
