/**
 * Watches how long the event loop is held: the promise is never longer than 50 ms by us. Node measures every turn of the
 * loop in native code and wakes nothing up for it; once a second the longest one is collected.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";

export interface StallSnapshot {
  /** Longest stall since the monitor was started, milliseconds. */
  worstMs: number;
  worstLastMinuteMs: number;
}

export interface StallMonitor {
  snapshot(): StallSnapshot;
  /** May be called twice. The snapshot stays readable. */
  stop(): void;
}

const collectEveryMs = 1_000;
const tellAboveMs = 50;
const minuteMs = 60_000;

export function createStallMonitor(
  { clock, log }: { clock: Clock; log: Log },
  options: { collectEveryMs?: number } = {},
): StallMonitor {
  // A Node 24 too old for this option probes by a timer instead: dearer, and up to 10 ms too long.
  const histogram = monitorEventLoopDelay({ samplePerIteration: true });
  let lastMinute: { at: number; stallMs: number }[] = [];
  let worstMs = 0;
  let lastWarnedAt = Number.NEGATIVE_INFINITY;

  function collect(): void {
    const stallMs = histogram.count === 0 ? 0 : Math.round(histogram.max / 1e6);
    histogram.reset();
    const now = clock.monotonic();
    lastMinute = lastMinute.filter(({ at }) => now - at < minuteMs);
    if (stallMs === 0) return;
    remember(now, stallMs);
    worstMs = Math.max(worstMs, stallMs);
    if (stallMs <= tellAboveMs || now - lastWarnedAt < minuteMs) return;
    lastWarnedAt = now;
    log.info(`the event loop was held for ${stallMs} ms`, { stallMs, limitMs: tellAboveMs });
  }

  /** One entry a second at most, however often somebody asks. */
  function remember(now: number, stallMs: number): void {
    const newest = lastMinute.at(-1);
    if (newest && now - newest.at < collectEveryMs) newest.stallMs = Math.max(newest.stallMs, stallMs);
    else lastMinute.push({ at: now, stallMs });
  }

  // Turned on inside the loop: the wait before its first turn would count as a stall.
  const start = setImmediate(() => histogram.enable());
  const timer = setInterval(collect, options.collectEveryMs ?? collectEveryMs);
  start.unref();
  timer.unref();
  return {
    snapshot() {
      collect();
      return { worstMs, worstLastMinuteMs: Math.max(0, ...lastMinute.map(({ stallMs }) => stallMs)) };
    },
    stop() {
      clearImmediate(start);
      clearInterval(timer);
      histogram.disable();
    },
  };
}
