/** The platform's own time, for clients that are given no clock: a browser has none of mom's. */
import type { ClientClock } from "./client-types.ts";

export const systemClock: ClientClock = {
  now: () => Date.now(),
  after: (delayMs, run) => {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};
