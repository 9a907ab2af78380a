/** What Ctrl-C means right now. Pure, so that the rule can be read and tested in one place. */
export interface InterruptState {
  /** When "press again to leave" was said last, monotonic milliseconds. */
  warnedAtMs: number | undefined;
  /** A stop was asked for and the work it was meant for has not ended yet. */
  isStopping: boolean;
}

export type Interrupt = "stop" | "clear" | "warn" | "leave";

export const leaveWithinMs = 2_000;

/** Stops work first, then clears the input, then leaves at the second press; work that does not stop cannot hold anyone. */
export function pickInterrupt(
  state: InterruptState,
  now: { isBusy: boolean; hasText: boolean; nowMs: number },
): Interrupt {
  if (state.warnedAtMs !== undefined && now.nowMs - state.warnedAtMs <= leaveWithinMs) return "leave";
  if (now.isBusy && !state.isStopping) return "stop";
  if (now.hasText) return "clear";
  return "warn";
}
