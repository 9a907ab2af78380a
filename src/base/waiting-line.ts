/**
 * Lets jobs in one at a time, in the order they came, for work that only one can do (`worker-runner.ts`). Who waits can
 * leave, and is sent away after a while; beyond a bound nobody may join.
 */
import type { Clock } from "../contracts/clock.ts";
import { ToolError } from "./errors.ts";

export interface WaitingLine {
  /**
   * Resolves or rejects as `job` does, once it has had its turn. Before that it rejects with `ABORTED`, with
   * `WORK_TIMED_OUT` when its turn does not come within `timeoutMs`, or with `WORK_BUSY` when too many wait already; then
   * `job` is never called.
   */
  run<T>(job: () => Promise<T>, wait: { timeoutMs: number; signal?: AbortSignal }): Promise<T>;
  /** Sends everybody who waits away with `ABORTED`. The job that has its turn is let be. */
  clear(): void;
}

interface Waiting {
  begin(): void;
  leave(reason: ToolError): void;
}

export function createWaitingLine({ clock, maxWaiting }: { clock: Clock; maxWaiting: number }): WaitingLine {
  const waiting = new Set<Waiting>();
  let isTaken = false;

  const wait = (timeoutMs: number, signal: AbortSignal | undefined) =>
    new Promise<void>((resolve, reject) => {
      const settle = () => {
        waiting.delete(entry);
        cancel();
        signal?.removeEventListener("abort", onAbort);
      };
      const entry: Waiting = {
        begin: () => {
          settle();
          resolve();
        },
        leave: (reason) => {
          settle();
          reject(reason);
        },
      };
      const onAbort = () => entry.leave(stopped());
      const cancel = clock.after(timeoutMs, () => entry.leave(waitedTooLong(timeoutMs)));
      signal?.addEventListener("abort", onAbort, { once: true });
      waiting.add(entry);
    });
  const passOn = () => {
    const [next] = waiting;
    if (next === undefined) isTaken = false;
    else next.begin();
  };
  return {
    async run(job, { timeoutMs, signal }) {
      if (signal?.aborted) throw stopped();
      if (isTaken && waiting.size >= maxWaiting) throw busy(maxWaiting);
      // Nobody before it: it begins at once.
      if (isTaken) await wait(timeoutMs, signal);
      isTaken = true;
      try {
        return await job();
      } finally {
        passOn();
      }
    },
    clear() {
      for (const entry of [...waiting]) entry.leave(stopped());
    },
  };
}

const stopped = () => new ToolError("ABORTED", "The work was stopped");

const busy = (maxWaiting: number) =>
  new ToolError("WORK_BUSY", `${maxWaiting} pieces of such work wait for their turn already`, {
    hint: "Try again in a while.",
    retryable: true,
  });

const waitedTooLong = (timeoutMs: number) =>
  new ToolError("WORK_TIMED_OUT", `The work did not get its turn within ${timeoutMs / 1000} s`, {
    hint: "Try again in a while.",
    retryable: true,
  });
