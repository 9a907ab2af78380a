/** The way from the main side into the memory's thread, which begins with the first job and ends when nothing was asked for a while. */
import { createWorkerRunner } from "../base/worker-runner.ts";
import type { Clock } from "../contracts/clock.ts";
import type { MemoryJob, MemoryReply } from "./memory-job.ts";

export interface MemoryWork {
  /** Rejects with `WORK_FAILED`, `WORK_TIMED_OUT`, `WORK_BUSY` or `ABORTED`. */
  run(job: MemoryJob): Promise<MemoryReply>;
  close(): Promise<void>;
}

const timeoutMs = 120_000;
/** The sign bits need not be read again for the next question. */
const idleMs = 5 * 60_000;

export function createMemoryWork({ clock }: { clock: Clock }): MemoryWork {
  const runner = createWorkerRunner<MemoryJob, MemoryReply>({
    source: new URL("./memory.worker.ts", import.meta.url),
    clock,
    idleMs,
  });
  return { run: (job) => runner.run(job, { timeoutMs }), close: runner.close };
}
