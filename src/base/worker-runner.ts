/**
 * Runs work that would hold the event loop in a thread of its own: one thread per kind of work, started with the first
 * job, one job at a time, ended when it has been idle for a while. A job that takes too long costs the thread its life; one
 * that waits for its turn can be given up like one that runs.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { Clock } from "../contracts/clock.ts";
import { errorText, ToolError } from "./errors.ts";
import { findPackageDir } from "./package-dir.ts";
import { createWaitingLine } from "./waiting-line.ts";

export interface WorkerRunner<Input, Output> {
  /**
   * Rejects with `WORK_TIMED_OUT`, `WORK_FAILED`, `WORK_BUSY` or `ABORTED`. `timeoutMs` is for the work, and as much again
   * for the wait until it begins. The input is copied then.
   */
  run(input: Input, limits: { timeoutMs: number; signal?: AbortSignal }): Promise<Output>;
  /** Ends the thread, and what waits for it. The next job would start another. */
  close(): Promise<void>;
}

export interface WorkerRunnerOptions {
  /** `new URL("./name.worker.ts", import.meta.url)`; the built program has it as `dist/workers/name.js`. */
  source: URL;
  clock: Clock;
  /** Megabytes of heap that the thread may have. */
  maxHeapMb?: number;
  /** How long it waits for the next job before it ends. Absent: half a minute. */
  idleMs?: number;
}

/** What a thread answers, see `serve-worker.ts`. */
export type WorkerAnswer<Output> = { type: "done"; output: Output } | { type: "failed"; message: string };

const usualIdleMs = 30_000;
const maxWaiting = 32;

export function createWorkerRunner<Input, Output>(options: WorkerRunnerOptions): WorkerRunner<Input, Output> {
  const { clock, maxHeapMb = 512, idleMs = usualIdleMs } = options;
  const line = createWaitingLine({ clock, maxWaiting });
  let thread: Worker | undefined;
  let cancelIdle = () => {};
  let isClosed = false;

  const end = async () => {
    cancelIdle();
    const ending = thread;
    thread = undefined;
    await ending?.terminate();
  };
  const start = () => {
    const started = new Worker(locate(options.source), {
      env: {},
      // Small young space: with a large one the heap overshoots its limit before the thread can be ended, and takes the process with it.
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb, maxYoungGenerationSizeMb: 16 },
      stderr: true,
      stdout: true,
    });
    started.unref();
    started.on("exit", () => {
      if (thread === started) thread = undefined;
    });
    return started;
  };
  const work = async (input: Input, { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal }) => {
    if (signal?.aborted || isClosed) throw stopped();
    cancelIdle();
    thread ??= start();
    try {
      const output = await ask<Input, Output>(thread, input, { timeoutMs, signal, clock });
      if (!isClosed) cancelIdle = clock.after(idleMs, () => void end());
      return output;
    } catch (error) {
      await end();
      throw error;
    }
  };
  return {
    run: (input, limits) => line.run(() => work(input, limits), limits),
    close: async () => {
      isClosed = true;
      line.clear();
      await end();
    },
  };
}

/** One job. Whoever asks ends the thread after any failure: what it left behind in there is unknown. */
async function ask<Input, Output>(
  thread: Worker,
  input: Input,
  { timeoutMs, signal, clock }: { timeoutMs: number; signal: AbortSignal | undefined; clock: Clock },
): Promise<Output> {
  const answer = Promise.withResolvers<WorkerAnswer<Output>>();
  const onError = (error: unknown) =>
    answer.reject(new ToolError("WORK_FAILED", `The work broke off: ${errorText(error)}`, { cause: error }));
  const onExit = () => answer.reject(new ToolError("WORK_FAILED", "The work broke off: its thread ended"));
  const onAbort = () => answer.reject(stopped());
  thread.once("message", answer.resolve);
  thread.once("error", onError);
  thread.once("exit", onExit);
  signal?.addEventListener("abort", onAbort, { once: true });
  const cancel = clock.after(timeoutMs, () => {
    const hint = "Give it less to do.";
    answer.reject(new ToolError("WORK_TIMED_OUT", `The work took longer than ${timeoutMs / 1000} s`, { hint }));
  });
  // While a job runs the process must not end; an idle thread does not keep it.
  thread.ref();
  thread.postMessage(input);
  try {
    const answered = await answer.promise;
    if (answered.type === "failed") throw new ToolError("WORK_FAILED", answered.message);
    return answered.output;
  } finally {
    cancel();
    thread.unref();
    signal?.removeEventListener("abort", onAbort);
    for (const [event, listener] of [
      ["message", answer.resolve],
      ["error", onError],
      ["exit", onExit],
    ] as const) {
      thread.off(event, listener);
    }
  }
}

const stopped = () => new ToolError("ABORTED", "The work was stopped");

function locate(source: URL): string {
  const path = fileURLToPath(source);
  if (import.meta.filename.endsWith(".ts")) return path;
  const name = path.slice(path.search(/[^\\/]+$/)).replace(/\.worker\.ts$/, ".js");
  return join(findPackageDir() ?? "", "dist", "workers", name);
}
