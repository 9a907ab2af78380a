/** The time that a run may take. It stands still while a call waits for a person's approval: that time is not the agent's. */
import type { AgentSessionEvent } from "../contracts/agent.ts";
import type { Clock } from "../contracts/clock.ts";

export interface TimeLimit {
  /** Waits are counted by name: it goes on when the last one is over. */
  pause(name: string): void;
  resume(name: string): void;
  cancel(): void;
}

export function createTimeLimit(clock: Clock, limitMs: number, onOver: () => void): TimeLimit {
  const waits = new Set<string>();
  let leftMs = limitMs;
  let startedAt = clock.monotonic();
  let cancelTimer = clock.after(limitMs, onOver);
  return {
    pause(name) {
      if (waits.size === 0) {
        cancelTimer();
        leftMs = Math.max(0, leftMs - (clock.monotonic() - startedAt));
      }
      waits.add(name);
    },
    resume(name) {
      if (!waits.delete(name) || waits.size > 0) return;
      startedAt = clock.monotonic();
      cancelTimer = clock.after(leftMs, onOver);
    },
    cancel: () => cancelTimer(),
  };
}

/** Stops the time with a question to a person, and lets it go on with the answer. */
export function watchWaiting(onEvent: (event: AgentSessionEvent) => Promise<void>, limit: TimeLimit) {
  return (event: AgentSessionEvent): Promise<void> => {
    if (event.type === "approval_request") limit.pause(event.approval.toolCallId);
    if (event.type === "approval_end") limit.resume(event.toolCallId);
    return onEvent(event);
  };
}

/** Why a run failed that took too long, for the operator. */
export const describeTimeout = (limitMs: number): string => `run timeout of ${limitMs} ms`;
export const isTimeout = (detail: string): boolean => /^run timeout of \d+ ms$/.test(detail);
