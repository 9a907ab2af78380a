/**
 * Gives every piece of an index its vector, a batch at a time. A batch is kept whole or not at all, so an embedder may fail in
 * the middle; what is there goes on answering. Texts that an embedder refuses by themselves are passed over.
 */
import { MomError } from "../base/errors.ts";
import { retryAsync } from "../base/retry.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Embedder } from "../contracts/memory.ts";
import { EmbedError } from "./embed/embed-error.ts";
import type { MemoryJob, MemoryReply, MissingText } from "./memory-job.ts";

export interface EmbedRun {
  embedder: Embedder;
  /** The agent's index. */
  file: string;
  ask(job: MemoryJob): Promise<MemoryReply>;
  clock: Clock;
  signal: AbortSignal;
  /** Texts that now have a vector, since the run began. */
  onProgress(done: number): void;
  onWait(error: unknown): void;
}

const retries = { maxRetries: 5, minDelayMs: 2000, maxDelayMs: 60_000, jitter: 0.2, maxRetryAfterMs: 120_000 };
const largestBatch = 256;
const mostRefused = 200;

/** The embedder whose vectors are complete afterwards. Rejects as the embedder does, once it is not worth another try. */
export async function embedMissing(run: EmbedRun): Promise<string | undefined> {
  const { embedder, file, ask, signal } = run;
  const refused = new Set<string>();
  let done = 0;
  let restarts = 0;
  for (let after = 0; ; ) {
    signal.throwIfAborted();
    const limit = Math.min(largestBatch, Math.max(1, embedder.batchSize));
    const reply = await ask({ file, type: "missing", embedder: embedder.id, after, limit });
    if (reply.type !== "missing" || reply.last === after) break;
    const items = reply.items.filter(({ hash }) => !refused.has(hash));
    const vectors = await embedBatch(run, items, refused);
    const isNewLength = await keep(run, vectors);
    if (isNewLength && ++restarts > 1) throw changesLength(embedder);
    after = isNewLength ? 0 : reply.last;
    done += vectors.length;
    run.onProgress(done);
  }
  const settled = await ask({ file, type: "settle", embedder: embedder.id, mayLack: refused.size });
  return settled.type === "settled" ? settled.settled : undefined;
}

type Embedded = { hash: string; vector: Float32Array }[];

async function keep({ ask, file, embedder }: EmbedRun, items: Embedded): Promise<boolean> {
  if (items.length === 0) return false;
  const reply = await ask({ file, type: "keep", embedder: embedder.id, items });
  return reply.type === "kept" && reply.isNewLength;
}

async function embedBatch(run: EmbedRun, items: readonly MissingText[], refused: Set<string>): Promise<Embedded> {
  if (items.length === 0) return [];
  try {
    return await embed(run, items);
  } catch (error) {
    if (items.length === 1 || run.signal.aborted || isForAll(error)) throw error;
    return embedOneByOne(run, items, refused);
  }
}

/** One bad text must not keep the others from being found. Two in a row that fail: it is not the text. */
async function embedOneByOne(run: EmbedRun, items: readonly MissingText[], refused: Set<string>): Promise<Embedded> {
  const done: Embedded = [];
  let failedInRow = 0;
  for (const item of items) {
    try {
      done.push(...(await embed(run, [item])));
      failedInRow = 0;
    } catch (error) {
      const isEnough = ++failedInRow > 1 && done.length === 0;
      if (isEnough || run.signal.aborted || isForAll(error) || refused.size >= mostRefused) throw error;
      refused.add(item.hash);
    }
  }
  return done;
}

/** A key that is not taken, vectors that cannot be used: no text is to blame. */
const isForAll = (error: unknown) =>
  error instanceof MomError &&
  (error.retryable ||
    error.code === "MEMORY_VECTORS_UNUSABLE" ||
    (error instanceof EmbedError && isLogin(error.status)));

const isLogin = (status: number | undefined) => status === 401 || status === 403 || status === 404;

async function embed(run: EmbedRun, items: readonly MissingText[]): Promise<Embedded> {
  const { embedder, clock, signal, onWait } = run;
  const texts = items.map(({ text }) => text);
  const vectors = await retryAsync(() => embedder.embed(texts, "document", signal), {
    ...retries,
    clock,
    signal,
    isRetryable: (error) => error instanceof MomError && error.retryable && error.code !== "ABORTED",
    retryAfterMs: (error) => (error instanceof EmbedError ? error.retryAfterMs : undefined),
    onRetry: ({ error }) => onWait(error),
  });
  checkVectors(embedder, vectors, texts.length);
  return items.flatMap(({ hash }, at) => {
    const vector = vectors[at];
    return vector ? [{ hash, vector }] : [];
  });
}

/** Throws `MEMORY_VECTORS_UNUSABLE`. */
export function checkVectors(embedder: Embedder, vectors: readonly Float32Array[], wanted: number): void {
  const length = vectors[0]?.length ?? 0;
  const isGood =
    vectors.length === wanted &&
    length > 0 &&
    vectors.every((vector) => vector.length === length && vector.every(Number.isFinite));
  if (!isGood) throw unusable(embedder, `gave ${vectors.length} for ${wanted} texts, or not all of one length`);
}

const changesLength = (embedder: Embedder) => unusable(embedder, "changes their length from call to call");

const unusable = ({ id }: Embedder, what: string) =>
  new EmbedError("MEMORY_VECTORS_UNUSABLE", `The vectors of ${id} cannot be used: it ${what}`, {
    hint: "Look at `memory.embedder` in the config; text is searched as before.",
  });
