/** Calls to Discord about a chat, no faster than it allows, with failures as values. Everything that posts goes through here. */
import { RateLimitError } from "@discordjs/rest";
import type { Pace } from "../kit/pace.ts";
import { discordCode, type Failure, isLoginRefused, toFailure } from "./errors.ts";

export type Called<T> = { type: "done"; value: T } | (Failure & { code?: number });

export interface Calls {
  /** Waits for its turn. `lane`: calls that share a limit, a chat's id for its posts. */
  run<T>(lane: string, call: () => Promise<T>): Promise<Called<T>>;
  /** For show: only when there is room; undefined when there was none, or it failed. */
  runIfRoom<T>(lane: string, call: () => Promise<T>): Promise<T | undefined>;
  /** For what has its turn already, as the kit's live posts do. */
  runNow<T>(lane: string, call: () => Promise<T>): Promise<Called<T>>;
}

/** `onLoginLost`: Discord has said that the token is worth nothing. */
export function createCalls({ pace, onLoginLost }: { pace: Pace; onLoginLost(error: unknown): void }): Calls {
  async function runNow<T>(lane: string, call: () => Promise<T>): Promise<Called<T>> {
    try {
      return { type: "done", value: await call() };
    } catch (error) {
      if (isLoginRefused(error)) onLoginLost(error);
      const failure = toFailure(error);
      if (error instanceof RateLimitError && failure.type === "retry") {
        pace.pause(failure.retryAfterMs ?? 0, ...(error.global ? [] : [lane]));
      }
      const code = discordCode(error);
      return code === undefined ? failure : { ...failure, code };
    }
  }
  return {
    runNow,
    async run(lane, call) {
      const turn = await pace.take(lane);
      if (turn.type === "go") return runNow(lane, call);
      return { type: "retry", reason: "Discord's limit for this chat is used up", retryAfterMs: turn.ms };
    },
    async runIfRoom(lane, call) {
      if (!pace.tryTake(lane)) return undefined;
      const called = await runNow(lane, call);
      return called.type === "done" ? called.value : undefined;
    },
  };
}
