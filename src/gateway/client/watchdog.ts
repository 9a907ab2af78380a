/** Notices a connection that is dead without having been closed (a laptop that slept): asks after a silence, and says so when no answer comes. */
import type { ClientClock } from "./client-types.ts";

export interface Watchdog {
  start(): void;
  stop(): void;
  heard(): void;
}

const silenceMs = 45_000;

export function createWatchdog(deps: { clock: ClientClock; probe(): Promise<unknown>; onDead(): void }): Watchdog {
  let cancel: (() => void) | undefined;
  let heardAt = 0;
  const stop = () => {
    cancel?.();
    cancel = undefined;
  };
  const look = (): void => {
    const leftMs = heardAt + silenceMs - deps.clock.now();
    // A wall clock may jump back: never wait longer than one silence.
    const mine = arm(leftMs > 0 ? Math.min(leftMs, silenceMs) : silenceMs);
    if (leftMs > 0) return;
    deps.probe().catch(() => {
      if (cancel === mine) deps.onDead();
    });
  };
  const arm = (delayMs: number) => {
    cancel = deps.clock.after(delayMs, look);
    return cancel;
  };
  return {
    start: () => {
      stop();
      heardAt = deps.clock.now();
      arm(silenceMs);
    },
    stop,
    heard: () => {
      heardAt = deps.clock.now();
    },
  };
}
