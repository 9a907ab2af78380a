/** The real clock. The only place that asks the system for the time. */
import type { Clock } from "../contracts/clock.ts";

/** Timers hold 31 bits of milliseconds; longer waits are made of several. */
const longestTimerMs = 2 ** 31 - 1;

export function createSystemClock(): Clock {
  const after = (delayMs: number, run: () => void): (() => void) => {
    let timer: NodeJS.Timeout;
    const arm = (leftMs: number) => {
      const stepMs = Math.min(leftMs, longestTimerMs);
      timer = setTimeout(() => (leftMs > stepMs ? arm(leftMs - stepMs) : run()), stepMs);
    };
    arm(Math.max(0, delayMs));
    return () => clearTimeout(timer);
  };
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    after,
    sleep: (delayMs, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const onAbort = () => {
          cancel();
          reject(signal?.reason);
        };
        const cancel = after(delayMs, () => {
          signal?.removeEventListener("abort", onAbort);
          resolve();
        });
        signal?.addEventListener("abort", onAbort, { once: true });
      }),
  };
}
