/** One program that goes on beside the turns: its output so far, its end, and how to wait for either. Made by the registry. */
import type { Clock } from "../../contracts/clock.ts";
import type { ExecResult, RunningProgram } from "../../contracts/sandbox.ts";
import type { RunOutput, TakenOutput } from "./run-output.ts";

export interface BackgroundRun {
  /** `b1`; unique in its session. */
  readonly id: string;
  readonly command: string;
  /** Real path. */
  readonly cwd: string;
  /** What its output may bring in from outside, by its command and by what it was given since. */
  readonly brings: string | undefined;
  /** Undefined while it runs. */
  readonly result: ExecResult | undefined;
  /** Since its start, up to its end. */
  readonly durationMs: number;
  /** Clock's `monotonic` when it ended. */
  readonly endedAt: number | undefined;
  /** Bytes in all. */
  readonly outputBytes: number;
  /** Output since the last time. */
  take(): TakenOutput;
  /** Until it has ended, or said something and then been quiet for a moment, or the time is over, or `signal` aborts. */
  wait(limitMs: number, signal: AbortSignal): Promise<void>;
  /** `brings`: what its output may bring in from now on. Resolves when the program has taken it, or has ended. */
  write(text: string, brings?: string): Promise<void>;
  closeInput(): void;
  /** Ends it with all it started; resolves when it is gone. */
  kill(): Promise<void>;
}

export interface RunParts {
  id: string;
  command: string;
  cwd: string;
  brings?: string | undefined;
  output: RunOutput;
  program: RunningProgram;
  clock: Clock;
  onEnd(result: ExecResult): void;
}

/** How long a program must be silent until what it said counts as all for now. */
const quietMs = 1000;
const pollMs = 100;

export function createBackgroundRun(parts: RunParts): BackgroundRun {
  const { id, command, cwd, output, program, clock, onEnd } = parts;
  const startedAt = clock.monotonic();
  let { brings } = parts;
  let end: { result: ExecResult; at: number } | undefined;
  const ended = program.ended.then((result) => {
    end = { result, at: clock.monotonic() };
    onEnd(result);
  });
  return {
    id,
    command,
    cwd,
    get brings() {
      return brings;
    },
    get result() {
      return end?.result;
    },
    get durationMs() {
      return Math.round((end?.at ?? clock.monotonic()) - startedAt);
    },
    get endedAt() {
      return end?.at;
    },
    get outputBytes() {
      return output.total;
    },
    take: () => output.take(end !== undefined),
    async wait(limitMs, signal) {
      const deadline = clock.monotonic() + limitMs;
      let seen = output.total;
      let quietSince = clock.monotonic();
      while (end === undefined && !signal.aborted) {
        const now = clock.monotonic();
        if (output.total !== seen) {
          seen = output.total;
          quietSince = now;
        }
        if (now >= deadline || (output.unread > 0 && now - quietSince >= quietMs)) return;
        const nap = clock.sleep(Math.min(pollMs, deadline - now), signal).catch(() => undefined);
        await Promise.race([ended, nap]);
      }
    },
    write(text, brought) {
      brings ??= brought;
      return program.write(text);
    },
    closeInput: () => program.closeInput(),
    async kill() {
      await program.kill();
      await ended;
    },
  };
}
