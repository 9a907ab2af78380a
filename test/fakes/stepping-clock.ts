/** A clock that goes on by itself, a step with every look: for caches that must not look at the disk all the time. */
import type { Clock } from "../../src/contracts/clock.ts";
import { createFakeClock } from "./clock.ts";

export function createSteppingClock(startMs?: number): Clock & { stepMs: number } {
  const clock = createFakeClock(startMs);
  let elapsedMs = 0;
  const stepping = {
    ...clock,
    stepMs: 1000,
    monotonic() {
      elapsedMs += stepping.stepMs;
      return elapsedMs;
    },
  };
  return stepping;
}
