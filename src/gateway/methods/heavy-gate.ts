/**
 * The methods that read or build much for one answer: a few of them at a time, whoever calls, so that many calls at once take
 * the time of many and not the memory. The others wait in line; who hangs up leaves it.
 */
import type { MethodName } from "../protocol/index.ts";
import { unavailable } from "./refusals.ts";

export interface HeavyGate {
  /** As `work` does, once there is room. Rejects with `UNAVAILABLE` where too many wait, or the caller is gone before. */
  run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

const heavyMethods: ReadonlySet<MethodName> = new Set<MethodName>([
  "sessions.history",
  "chat.history",
  "tools.list",
  "logs.tail",
  "config.schema",
  "doctor.run",
  "memory.search",
]);
const mostAtOnce = 3;
const mostWaiting = 200;

export const isHeavy = (method: MethodName): boolean => heavyMethods.has(method);

export function createHeavyGate(): HeavyGate {
  const waiting = new Set<() => void>();
  let running = 0;

  const wait = (signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const settle = () => {
        waiting.delete(begin);
        signal.removeEventListener("abort", leave);
      };
      const begin = () => {
        settle();
        resolve();
      };
      const leave = () => {
        settle();
        reject(gone());
      };
      signal.addEventListener("abort", leave, { once: true });
      waiting.add(begin);
    });
  const passOn = () => {
    const [next] = waiting;
    // The place goes straight to the next one: nobody can slip in between.
    if (next) next();
    else running--;
  };
  return {
    async run(work, signal) {
      if (signal.aborted) throw gone();
      if (running < mostAtOnce) running++;
      else if (waiting.size < mostWaiting) await wait(signal);
      else throw unavailable(`More than ${mostWaiting} calls like this one wait already`, 1000);
      try {
        return await work();
      } finally {
        passOn();
      }
    },
  };
}

const gone = () => unavailable("The connection is gone");
