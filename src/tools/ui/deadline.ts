/** The time that one action has: ends with the call's signal or when it runs out, whatever the browser is doing then. */
import { ToolError } from "../../base/errors.ts";
import type { Clock } from "../../contracts/clock.ts";

export interface Deadline {
  /** For the driver's own calls. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Waits for `work`, but no longer than there is time: rejects with `ABORTED` or `BROWSER_TIMED_OUT`. */
  wait<T>(work: Promise<T>): Promise<T>;
  /** Time is not watched any more. */
  stop(): void;
}

export function createDeadline(clock: Clock, signal: AbortSignal, timeoutMs: number): Deadline {
  const timer = new AbortController();
  const cancel = clock.after(timeoutMs, () => timer.abort(timedOut(timeoutMs)));
  const both = AbortSignal.any([signal, timer.signal]);
  return {
    signal: both,
    timeoutMs,
    async wait(work) {
      work.catch(() => undefined);
      let onAbort = () => {};
      const ended = new Promise<never>((_resolve, reject) => {
        onAbort = () => reject(timer.signal.aborted ? timer.signal.reason : new ToolError("ABORTED", "It was stopped"));
        if (both.aborted) onAbort();
        else both.addEventListener("abort", onAbort, { once: true });
      });
      try {
        return await Promise.race([work, ended]);
      } finally {
        both.removeEventListener("abort", onAbort);
      }
    },
    stop: cancel,
  };
}

const timedOut = (timeoutMs: number) =>
  new ToolError("BROWSER_TIMED_OUT", `The browser did not get done within ${timeoutMs / 1000} s`, {
    hint: "The page may be slow or stuck: take a snapshot, open it again, or close it.",
    retryable: true,
  });
