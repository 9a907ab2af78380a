/** How long a profile is left alone after failures in a row (spec 4.2). */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** 1 min, 5 min, 25 min, then an hour. `errorCount` counts from 1. */
export function cooldownMs(errorCount: number): number {
  return Math.min(hourMs, minuteMs * 5 ** (Math.max(1, errorCount) - 1));
}

/** An account without credit: 5 h, 10 h, 20 h, then a day. `failureCount` counts from 1. */
export function billingDisableMs(failureCount: number): number {
  return Math.min(24 * hourMs, 5 * hourMs * 2 ** (Math.max(1, failureCount) - 1));
}
