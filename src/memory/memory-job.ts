/** What the main side asks of the memory's thread, and what comes back. Plain data: it is copied between the two. */
import type { MemoryAnswer, MemoryHit } from "../contracts/memory.ts";
import type { MemoryConfig } from "./config.ts";
import type { Scope, SourcePlan } from "./sources/source.ts";

/** `file`: the agent's index, absolute. */
export type MemoryJob = { file: string } & (
  | { type: "scan"; plan: SourcePlan; force: boolean }
  /** Goes on with what the last scan found, for about so long. */
  | { type: "step"; maxMs: number; nowMs: number }
  | { type: "missing"; embedder: string; after: number; limit: number }
  | { type: "keep"; embedder: string; items: { hash: string; vector: Float32Array }[] }
  /** If all but so many have a vector of this embedder, those of others go. */
  | { type: "settle"; embedder: string; mayLack: number }
  /** The embedder makes vectors of this length from now on. */
  | { type: "restart"; embedder: string; dimensions: number }
  | ({ type: "search" } & SearchJob)
  | { type: "status"; embedder: string | undefined }
);

export interface SearchJob {
  text: string;
  vector?: { embedder: string; values: Float32Array };
  /** Absent: all. */
  scopes?: Scope[];
  maxResults: number;
  /** Absent: what is told from noise. */
  minScore?: number;
  mode: MemoryAnswer["mode"];
  recency?: MemoryConfig["recency"];
  diversity: number;
  vectorIndex: MemoryConfig["vectorIndex"];
  nowMs: number;
}

export interface MissingText {
  /** Of the text; the vector is kept under it. */
  hash: string;
  text: string;
}

export type MemoryReply =
  /** `folders`: absolute, where a change would matter. */
  | { type: "scanned"; left: number; total: number; folders: string[] }
  /** `isLost`: there is no scan to go on with. */
  | { type: "stepped"; left: number; isLost: boolean }
  | { type: "missing"; items: MissingText[]; last: number }
  /** `isNewLength`: vectors of this embedder had another length until now, and those are of no use any more. */
  | { type: "kept"; isNewLength: boolean }
  /** The embedder whose vectors are complete. */
  | { type: "settled"; settled: string | undefined }
  | { type: "found"; hits: MemoryHit[]; mode: MemoryAnswer["mode"]; searched: SearchedFacts }
  | { type: "status"; facts: IndexFacts }
  /** The file could not be read; it was set aside, and an empty one is in its place. */
  | { type: "damaged"; aside: string };

export interface SearchedFacts {
  chunks: number;
  /** Of those, so many have a vector that fits the question's. */
  embedded: number;
  /** Vectors of the question's embedder have another length than the question's. */
  hasOtherLength?: true;
  /** Why vectors were not used although there was one for the question. */
  vectorProblem?: string;
}

export interface IndexFacts {
  files: number;
  chunks: number;
  /** Chunks with a vector of the embedder that was named. */
  embedded: number;
  dimensions?: number;
  /** Whose vectors are complete. */
  settled?: string;
  bytes: number;
  lastSyncAt?: number;
  skipped: { path: string; reason: string }[];
}
