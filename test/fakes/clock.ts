/** A clock that tests move. Timers run in order of their time, inside `advance`. */
import type { Clock } from "../../src/contracts/clock.ts";

export interface FakeClock extends Clock {
  /** Moves time on and runs what becomes due, letting promises settle in between. */
  advance(ms: number): Promise<void>;
  /** Timers that wait. */
  readonly pending: number;
}

export function createFakeClock(startMs = Date.UTC(2026, 0, 1)): FakeClock {
  let nowMs = startMs;
  let lastId = 0;
  const timers = new Map<number, { at: number; run: () => void }>();
  const after = (delayMs: number, run: () => void) => {
    const id = ++lastId;
    timers.set(id, { at: nowMs + Math.max(0, delayMs), run });
    return () => void timers.delete(id);
  };
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    now: () => nowMs,
    monotonic: () => nowMs,
    after,
    sleep: (delayMs, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const cancel = after(delayMs, () => resolve());
        signal?.addEventListener("abort", () => {
          cancel();
          reject(signal.reason);
        });
      }),
    get pending() {
      return timers.size;
    },
    async advance(ms) {
      const end = nowMs + ms;
      await settle();
      for (;;) {
        const due = [...timers].filter(([, t]) => t.at <= end).sort((a, b) => a[1].at - b[1].at || a[0] - b[0])[0];
        if (!due) break;
        timers.delete(due[0]);
        nowMs = Math.max(nowMs, due[1].at);
        due[1].run();
        await settle();
      }
      nowMs = end;
      await settle();
    },
  };
}
