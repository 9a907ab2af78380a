/** Time as a port, so that tests own it. Nothing outside `base/clock` asks the system what time it is. */
export interface Clock {
  /** Milliseconds since the epoch, wall clock. May jump. */
  now(): number;
  /** Milliseconds that never run backwards; only differences mean something. */
  monotonic(): number;
  /** Resolves after `delayMs`; rejects with the signal's reason when aborted first. Never resolves early. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
  /** Calls `run` once after `delayMs` (capped to what timers can hold). The result cancels it; cancelling twice is fine. */
  after(delayMs: number, run: () => void): () => void;
}
