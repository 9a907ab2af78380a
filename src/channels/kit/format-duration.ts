/** How long something took, as people read it. */

/** `40 ms`, `0.3 s`, `12 s`, `2 min 5 s`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < 100) return `${Math.round(durationMs)} ms`;
  const seconds = durationMs / 1_000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
