/** Does a conversation begin anew with the next message (spec 3.3)? By rest, or because the day has turned. */
import type { SessionsConfig } from "./config.ts";

/** `lastUsedAt`, `now`: milliseconds since the epoch; hours are those of the machine's zone. */
export function needsReset(config: SessionsConfig, lastUsedAt: number, now: number): boolean {
  const { resetAfterIdleMinutes, resetAtHour } = config;
  if (resetAfterIdleMinutes !== undefined && now - lastUsedAt >= resetAfterIdleMinutes * 60_000) return true;
  return resetAtHour !== undefined && lastUsedAt < lastOccurrence(resetAtHour, now);
}

/** The last time the clock showed `hour` o'clock. An hour that a time change skips counts as the one after it. */
function lastOccurrence(hour: number, now: number): number {
  const today = new Date(now);
  today.setHours(hour, 0, 0, 0);
  if (today.getTime() <= now) return today.getTime();
  today.setDate(today.getDate() - 1);
  return today.getTime();
}
