/** How long to wait before the next try to connect. */
import { pickWaitMs } from "../../base/retry.ts";

const policy = { minDelayMs: 1_000, maxDelayMs: 60_000, jitter: 0.3 };

/** One second, then twice as long each time, a minute at most; up to 30 % shorter or longer. `attempt` counts from 1. */
export function pickBackOffMs(attempt: number, chance: number = Math.random()): number {
  return pickWaitMs(attempt, policy, chance);
}
