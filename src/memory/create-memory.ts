/**
 * Memory as the house sees it (`src/contracts/memory.ts`). Files are the truth; behind this stands one index an agent, kept by a
 * thread. Whatever a file, an embedder or the index does, a search answers, and says where it is poorer for it.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { errorText, systemCode } from "../base/errors.ts";
import { within } from "../base/within.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";
import type { Embedder, Memory, MemoryAnswer, MemoryStatus } from "../contracts/memory.ts";
import type { ChannelRef } from "../contracts/message.ts";
import { type AgentIndex, createAgentIndex } from "./agent-index.ts";
import type { MemoryConfig } from "./config.ts";
import { checkVectors } from "./embed-missing.ts";
import { createEmbedders } from "./embedders.ts";
import type { SearchedFacts, SearchJob } from "./memory-job.ts";
import { createMemoryWork, type MemoryWork } from "./memory-work.ts";
import { MemoryError, readLines } from "./read-lines.ts";
import { buildPlan } from "./sources/build-plan.ts";
import { listScopes, type MemorySourceRoots } from "./sources/source.ts";

export interface MemoryDeps {
  /** Absolute; made if missing. One file an agent. */
  indexDir: string;
  clock: Clock;
  log: Log;
  sources(agentId: string): MemorySourceRoots | Promise<MemorySourceRoots>;
  /** A chat's folder below `channelsRoot`: `channels/slack/C1`. No two chats have the same. */
  channelFolder(channel: ChannelRef): string;
  /** Absolute, for a folder that the config names. */
  resolveFolder(path: string): string;
  /** Called again when the settings change; memory ends what it was given. */
  createEmbedder(settings: MemoryConfig["embedder"]): Promise<Embedder | { unavailable: string }>;
  /** Absent: a thread. */
  work?: MemoryWork;
}

const longestQuery = 2000;
const usualResults = 10;
const mostResults = 50;
/** How long a search waits for files to be read, and for the question's vector. */
const waitForFilesMs = 2000;
const waitForVectorMs = 10_000;

export function createMemory(deps: MemoryDeps, config: () => MemoryConfig): Memory {
  const { clock, indexDir, channelFolder } = deps;
  const log = deps.log.with({ room: "memory" });
  const work = deps.work ?? createMemoryWork({ clock });
  const embedders = createEmbedders({
    clock,
    log,
    create: deps.createEmbedder,
    settings: () => config().embedder,
  });
  const indexes = new Map<string, AgentIndex>();

  const planOf = async (agentId: string) =>
    buildPlan({
      roots: await deps.sources(agentId),
      config: config(),
      channelFolder,
      resolveFolder: deps.resolveFolder,
    });
  const releaseOld = () => {
    const [first, ...others] = [...indexes.values()].map(({ settled }) => settled);
    if (first !== undefined && others.every((each) => each === first)) void embedders.release(first);
  };
  const indexOf = (agentId: string): AgentIndex => {
    const known = indexes.get(agentId);
    if (known) return known;
    const made = createAgentIndex({
      agentId,
      file: join(indexDir, `${toFileName(agentId)}.db`),
      work,
      clock,
      log,
      embedders,
      plan: () => planOf(agentId),
      onSettled: releaseOld,
    });
    indexes.set(agentId, made);
    return made;
  };
  const embedQuestion = async (index: AgentIndex, text: string, signal: AbortSignal | undefined): Promise<Question> => {
    const found = await embedders.forQuestion(index.settled);
    if (found.type === "none") return { reason: found.reason };
    const { embedder } = found;
    const embedding = embedder.embed([text], "query", signal).then((vectors): Question => {
      checkVectors(embedder, vectors, 1);
      return { vector: { embedder: embedder.id, values: vectors[0] ?? new Float32Array() } };
    });
    return within(clock, waitForVectorMs, embedding, (reason) => ({ reason }));
  };

  return {
    async search(query, reader, signal) {
      const text = checkQuery(query.text);
      if (!config().enabled) return { hits: [], mode: "text", note: isOff };
      const index = indexOf(reader.agentId);
      const wantsVector = query.mode !== "text";
      const [question] = await Promise.all([
        wantsVector ? embedQuestion(index, text, signal) : noQuestion,
        index.refresh(waitForFilesMs),
      ]);
      if (signal?.aborted) throw new MemoryError("ABORTED", "The search was stopped");
      const { recency, diversity, vectorIndex, minScore } = config();
      const least = query.minScore ?? minScore;
      const scopes = listScopes(reader, channelFolder);
      const job: SearchJob = {
        text,
        ...(question.vector && { vector: question.vector }),
        ...(scopes && { scopes }),
        maxResults: Math.max(1, Math.min(mostResults, Math.floor(query.maxResults ?? usualResults))),
        ...(least !== undefined && { minScore: least }),
        mode: query.mode ?? "fused",
        ...(recency && { recency }),
        diversity,
        vectorIndex,
        nowMs: clock.now(),
      };
      return runSearch(index, job, question, log);
    },
    async get(path, lines, reader) {
      return readLines(await planOf(reader.agentId), { path, lines, scopes: listScopes(reader, channelFolder) });
    },
    async index(agentId, { force = false, signal } = {}) {
      if (!config().enabled) return offStatus(agentId);
      const index = indexOf(agentId);
      try {
        await untilAborted(index.bringUpToDate(force, signal), signal);
      } catch (error) {
        if (signal?.aborted) throw new MemoryError("ABORTED", "The indexing was stopped");
        throw toIndexError(index.file, error);
      }
      return index.status();
    },
    async status(agentId) {
      if (!config().enabled) return offStatus(agentId);
      const index = indexOf(agentId);
      return index.status().catch((error: unknown) => {
        throw toIndexError(index.file, error);
      });
    },
    noteChange(agentId) {
      if (config().enabled) indexOf(agentId).noteChange();
    },
    async close() {
      await Promise.all([...indexes.values()].map((index) => index.close()));
      indexes.clear();
      await Promise.all([work.close(), embedders.close()]);
    },
  };
}

/** What the question became. `reason`: why it has no vector. */
interface Question {
  vector?: { embedder: string; values: Float32Array };
  reason?: string;
}

const noQuestion: Question = {};

async function runSearch(index: AgentIndex, job: SearchJob, question: Question, log: Log): Promise<MemoryAnswer> {
  try {
    const found = await index.ask({ file: index.file, type: "search", ...job });
    if (found.type !== "found") return { hits: [], mode: "text", note: "The index is being built anew." };
    if (found.searched.hasOtherLength && job.vector) {
      void index.restart(job.vector.embedder, job.vector.values.length).catch((error: unknown) => {
        log.warn("Vectors of another length could not be begun.", { error });
      });
    }
    const note = buildNote(index, job, question, found.searched);
    return { hits: found.hits, mode: found.mode, ...(note !== undefined && { note }) };
  } catch (error) {
    log.warn("Memory could not be searched.", { error });
    return { hits: [], mode: "text", note: `Nothing could be searched: ${errorText(error)}` };
  }
}

function buildNote(index: AgentIndex, job: SearchJob, question: Question, searched: SearchedFacts): string | undefined {
  const parts: string[] = [];
  const { chunks, embedded, vectorProblem } = searched;
  if (index.filesLeft > 0) parts.push(`${index.filesLeft} files are still to be read.`);
  if (job.mode !== "text" && chunks > 0) {
    const reason =
      question.reason ??
      vectorProblem ??
      (embedded === 0 ? (index.problem ?? "vectors are still to be made") : undefined);
    if (reason !== undefined) parts.push(`Searched by words alone: ${reason.replace(/\.$/, "")}.`);
    else if (embedded < chunks)
      parts.push(`Of ${chunks} pieces ${embedded} have a vector yet; the others are found by words.`);
  }
  return parts.length === 0 ? undefined : parts.join(" ");
}

/** What runs for others too is not ended by one who does not want to wait any longer. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

function checkQuery(given: string): string {
  const text = given.trim();
  if (text === "") {
    throw new MemoryError("MEMORY_QUERY_EMPTY", "There is nothing to search for", { hint: "Say what is sought." });
  }
  if (text.length > longestQuery) {
    const message = `A question to memory has at most ${longestQuery} characters, this has ${text.length}`;
    throw new MemoryError("MEMORY_QUERY_TOO_LONG", message, { hint: "Ask in a sentence." });
  }
  return text;
}

const isOff = "Memory is off (`memory.enabled` in the config).";
const offStatus = (agentId: string): MemoryStatus => ({
  agentId,
  files: 0,
  chunks: 0,
  embedded: 0,
  state: "idle",
  indexBytes: 0,
  skipped: [],
  note: isOff,
});

/** Agents' names are harmless mostly; what is not, or could meet another on a disk without capitals, becomes a hash. */
const toFileName = (agentId: string) =>
  /^[a-z0-9][a-z0-9_-]{0,63}$/.test(agentId)
    ? agentId
    : `~${createHash("sha256").update(agentId).digest("hex").slice(0, 32)}`;

function toIndexError(file: string, error: unknown): MemoryError {
  if (error instanceof MemoryError) return error;
  return new MemoryError("MEMORY_INDEX_FAILED", `The index ${file} cannot be used: ${errorText(error)}`, {
    hint: "See that its folder can be written and the disk is not full. The file may be deleted; it is built anew.",
    retryable: systemCode(error) !== "EACCES",
    cause: error,
  });
}
