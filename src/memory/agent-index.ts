/**
 * The index of one agent as the main side sees it: what is due, what runs, what went wrong. Files are brought in step first and
 * quickly; vectors follow in the background, and a search waits for neither longer than a moment.
 */
import { createHash } from "node:crypto";
import { errorText } from "../base/errors.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";
import type { MemoryStatus } from "../contracts/memory.ts";
import { embedMissing } from "./embed-missing.ts";
import type { Embedders } from "./embedders.ts";
import type { IndexFacts, MemoryJob, MemoryReply } from "./memory-job.ts";
import type { MemoryWork } from "./memory-work.ts";
import { listSources } from "./sources/list-sources.ts";
import type { SourcePlan } from "./sources/source.ts";
import { createSourceWatches, type WatchPath } from "./sources/watch-sources.ts";

export interface AgentIndex {
  readonly file: string;
  /** The embedder whose vectors are complete, as far as is known. */
  readonly settled: string | undefined;
  /** Why vectors are not made, for people. */
  readonly problem: string | undefined;
  readonly isEmbedding: boolean;
  /** Files that the running scan has still to read. */
  readonly filesLeft: number;
  ask(job: MemoryJob): Promise<MemoryReply>;
  noteChange(): void;
  /** If files may have changed: begins to read them, and waits for it so long at most. Never rejects. */
  refresh(waitMs: number): Promise<void>;
  /** Files and vectors, to the end. Rejects where the index cannot be written. */
  bringUpToDate(force: boolean, signal: AbortSignal | undefined): Promise<void>;
  /** The embedder's vectors have another length now. */
  restart(embedder: string, dimensions: number): Promise<void>;
  status(): Promise<MemoryStatus>;
  close(): Promise<void>;
}

export interface AgentIndexDeps {
  agentId: string;
  file: string;
  work: MemoryWork;
  clock: Clock;
  log: Log;
  embedders: Embedders;
  plan(): Promise<SourcePlan>;
  /** Absent: the system's. */
  watch?: WatchPath;
  /** All vectors of this embedder are there. */
  onSettled(): void;
}

/** A burst of changes is one. */
const quietMs = 3000;
const stepMs = 100;
/** Files may change without anybody saying so: looked at again after so long, and longer where looking takes long. */
const staleMs = 10_000;
const staleTimes = 20;
/** After an embedder has failed for good. */
const embedAgainMs = 5 * 60_000;
const restartAgainMs = 10 * 60_000;

export function createAgentIndex(deps: AgentIndexDeps): AgentIndex {
  const { agentId, file, work, clock, log, embedders, plan } = deps;
  const ended = new AbortController();
  let isDirty = true;
  let scanned: { at: number; tookMs: number } | undefined;
  let filesLeft = 0;
  let reading: Promise<void> | undefined;
  let embedding: Promise<void> | undefined;
  let progress: { done: number; total: number } | undefined;
  let isWaiting = false;
  let problem: string | undefined;
  let settled: string | undefined;
  let restartedAt: number | undefined;
  /** Of the files, when they were last read. */
  let known: string | undefined;
  let cancelSoon = () => {};
  let cancelAgain = () => {};

  const noteChange = () => {
    isDirty = true;
    cancelSoon();
    if (!ended.signal.aborted) cancelSoon = clock.after(quietMs, () => void followChange());
  };
  const watches = createSourceWatches({ log, ...(deps.watch && { watch: deps.watch }) }, noteChange);

  const ask = async (job: MemoryJob): Promise<MemoryReply> => {
    const reply = await work.run(job);
    if (reply.type !== "damaged") return reply;
    isDirty = true;
    settled = undefined;
    log.warn("The memory's index was damaged; it is built anew.", { agent: agentId, aside: reply.aside });
    return work.run(job);
  };
  const readFiles = async (force: boolean): Promise<void> => {
    isDirty = false;
    const began = clock.monotonic();
    const places = await plan();
    const state = await readState(places);
    const found = await ask({ file, type: "scan", plan: places, force });
    if (found.type === "scanned") watches.follow(places.workspaceDir, found.folders);
    filesLeft = found.type === "scanned" ? found.left : 0;
    for (let isOver = false; !isOver && !ended.signal.aborted; ) {
      const stepped = await ask({ file, type: "step", maxMs: stepMs, nowMs: clock.now() });
      if (stepped.type !== "stepped") break;
      // The thread was started anew in between, and has forgotten what it was at.
      if (stepped.isLost) isDirty = true;
      filesLeft = stepped.left;
      isOver = stepped.left === 0;
    }
    known = ended.signal.aborted || isDirty ? undefined : state;
    scanned = { at: clock.monotonic(), tookMs: clock.monotonic() - began };
  };
  const read = (force = false): Promise<void> => {
    cancelSoon();
    reading ??= readFiles(force)
      .catch((error: unknown) => {
        isDirty = true;
        throw error;
      })
      .finally(() => {
        reading = undefined;
        filesLeft = 0;
      });
    return reading;
  };
  const embedAll = async (signal: AbortSignal): Promise<void> => {
    const found = await embedders.current();
    if (found.type === "none") {
      problem = found.reason;
      return;
    }
    const { embedder } = found;
    const { facts } = toFacts(await ask({ file, type: "status", embedder: embedder.id }));
    settled = facts.settled;
    const total = facts.chunks - facts.embedded;
    const onProgress = (done: number) => {
      isWaiting = false;
      problem = undefined;
      progress = { done: Math.min(done, total), total };
    };
    onProgress(0);
    const onWait = (error: unknown) => {
      isWaiting = true;
      problem = errorText(error);
    };
    settled = await embedMissing({ embedder, file, ask, clock, signal, onProgress, onWait });
    deps.onSettled();
  };
  const embed = (signal: AbortSignal = ended.signal): Promise<void> => {
    cancelAgain();
    embedding ??= embedAll(AbortSignal.any([signal, ended.signal]))
      .catch((error: unknown) => {
        if (ended.signal.aborted || signal.aborted) return;
        problem = errorText(error);
        log.warn("Memory could not be given vectors; text is searched as before.", { agent: agentId, error });
        cancelAgain = clock.after(embedAgainMs, () => void embed());
      })
      .finally(() => {
        embedding = undefined;
        progress = undefined;
        isWaiting = false;
      });
    return embedding;
  };
  const inBackground = () => {
    if (ended.signal.aborted) return Promise.resolve();
    const files = read();
    void files.then(
      () => void embed(),
      () => undefined,
    );
    return files.catch((error: unknown) => {
      problem = errorText(error);
      log.warn("Memory files could not be indexed.", { agent: agentId, error });
    });
  };
  /** Somebody said that files may have changed. Most often none has: then the thread is let sleep. */
  const followChange = async () => {
    const state = known === undefined ? undefined : await plan().then(readState, () => undefined);
    if (state === undefined || state !== known) return inBackground();
    isDirty = false;
  };
  const isStale = () => {
    if (isDirty || !scanned) return true;
    return clock.monotonic() - scanned.at > Math.max(staleMs, scanned.tookMs * staleTimes);
  };
  return {
    file,
    ask,
    get settled() {
      return settled;
    },
    get problem() {
      return problem;
    },
    get isEmbedding() {
      return embedding !== undefined;
    },
    get filesLeft() {
      return filesLeft;
    },
    noteChange,
    async refresh(waitMs) {
      if (!isStale() && !reading) return;
      let cancel = () => {};
      const enough = new Promise<void>((resolve) => {
        cancel = clock.after(waitMs, resolve);
      });
      await Promise.race([inBackground(), enough]).finally(() => cancel());
    },
    async bringUpToDate(force, signal) {
      // What runs already may have looked before the last change.
      while (reading) await reading.catch(() => undefined);
      await read(force);
      await embedding;
      await embed(signal);
      signal?.throwIfAborted();
    },
    async restart(embedder, dimensions) {
      const now = clock.monotonic();
      if (restartedAt !== undefined && now - restartedAt < restartAgainMs) return;
      restartedAt = now;
      await embedding;
      await ask({ file, type: "restart", embedder, dimensions });
      void embed();
    },
    async status() {
      const found = await embedders.current();
      const id = found.type === "ready" ? found.embedder.id : undefined;
      const { facts } = toFacts(await ask({ file, type: "status", embedder: id }));
      const note = problem ?? (found.type === "none" ? found.reason : undefined);
      return {
        agentId,
        files: facts.files,
        chunks: facts.chunks,
        embedded: facts.embedded,
        ...(id !== undefined && { embedder: id }),
        ...(facts.dimensions !== undefined && { dimensions: facts.dimensions }),
        state: isWaiting ? "waiting" : reading || embedding ? "indexing" : "idle",
        ...(progress && progress.total > 0 && { progress }),
        indexBytes: facts.bytes,
        ...(facts.lastSyncAt !== undefined && { lastSyncAt: facts.lastSyncAt }),
        skipped: facts.skipped,
        ...(note !== undefined && { note }),
      };
    },
    async close() {
      ended.abort();
      watches.close();
      cancelSoon();
      cancelAgain();
      await Promise.all([reading?.catch(() => undefined), embedding]);
    },
  };
}

/** What tells one state of all files from another. */
async function readState(plan: SourcePlan): Promise<string> {
  const hash = createHash("sha256");
  for (const { path, scope, stamp } of (await listSources(plan)).sources) hash.update(`${path}\n${scope}\n${stamp}\n`);
  return hash.digest("hex");
}

const nothing: IndexFacts = { files: 0, chunks: 0, embedded: 0, bytes: 0, skipped: [] };
const toFacts = (reply: MemoryReply): { facts: IndexFacts } => (reply.type === "status" ? reply : { facts: nothing });
