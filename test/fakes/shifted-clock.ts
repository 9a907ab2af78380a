/** The system's clock, ahead of its time: for stories in which days go by between two lives of mom. */
import { createSystemClock } from "../../src/base/clock.ts";
import type { Clock } from "../../src/contracts/clock.ts";

export interface ShiftedClock extends Clock {
  /** The wall clock jumps; timers that run are not told. */
  shift(ms: number): void;
  /** The wall clock jumps to this moment. */
  set(ms: number): void;
}

export function createShiftedClock(startMs?: number): ShiftedClock {
  const real = createSystemClock();
  let offset = startMs === undefined ? 0 : startMs - real.now();
  return {
    ...real,
    now: () => real.now() + offset,
    shift: (ms) => {
      offset += ms;
    },
    set: (ms) => {
      offset = ms - real.now();
    },
  };
}
