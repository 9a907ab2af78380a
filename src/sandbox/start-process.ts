/**
 * Starts one program on the host and looks after it until its whole process tree is gone: output, input, time-out, abort,
 * limits. `run-process.ts` waits for the end on top of it; `local-executor.ts` calls both. A program that a wrapper starts
 * elsewhere (in a container) is announced by a greeting and cleaned up by a hook.
 */
import type { Clock } from "../contracts/clock.ts";
import type { ExecResult, RunningProgram } from "../contracts/sandbox.ts";
import { endProcessTree } from "./process-tree.ts";
import { type Child, closeDescriptors, type SpawnRequest, spawnChild } from "./spawn-child.ts";

/** Watches what a run takes; `ended` resolves with a sentence when that is too much. */
export interface LimitWatch {
  readonly ended: Promise<string>;
  stop(): void;
}

/** What an executor decides about a program: what is really started, and how. */
export interface Launch extends Pick<SpawnRequest, "argv" | "env" | "cwd" | "fds" | "greeting"> {
  /** Called once with the first process's id; stopped at the end. */
  watch?: (pid: number) => LimitWatch;
  /**
   * Ends what the host's process list does not show. `exitCode` is null when the program did not end by itself. May know
   * better why it ended: a sentence makes it a limit.
   */
  cleanUp?: (exitCode: number | null) => Promise<string | undefined>;
  /** Called once in any case, also when nothing was started. Must not throw. */
  release?: () => void;
}

export interface ProcessStart extends Launch, SpawnRequest {
  /** Value of the mark in the environment. */
  mark: string;
  timeoutMs: number;
  signal: AbortSignal;
}

/** Between the polite signal and the final one. */
const graceMs = 1000;
/** How long output may still trickle in after the program itself has ended. */
const drainMs = 250;
/** How long an aborted start may take until the wrapper has spoken: before that, nobody knows what there is to end. */
const greetingMs = 5000;

type Ending = Pick<ExecResult, "ended" | "detail">;

/** Throws when the program cannot be started. Already aborted: gives a program that has ended. */
export async function startProcess(start: ProcessStart, clock: Clock): Promise<RunningProgram> {
  if (start.signal.aborted) {
    closeDescriptors(start.fds);
    start.release?.();
    return buildEndedProgram({ exitCode: null, stdout: "", stderr: "", ended: "aborted", durationMs: 0 });
  }
  const startedAt = clock.monotonic();
  const killed = new AbortController();
  const child = await spawnChild(start).catch((error: unknown) => {
    start.release?.();
    throw error;
  });
  const ended = endWell(child, start, killed.signal, clock)
    .then((ending) => ({ ...ending, durationMs: Math.round(clock.monotonic() - startedAt) }))
    .finally(start.release);
  await Promise.race([child.output.started, ended]).catch(async (error: unknown) => {
    killed.abort();
    await ended;
    throw error;
  });
  return buildRunningProgram(child, killed, ended);
}

/** Waits for the end, whatever brings it, and for the last of the tree and of the output. Never rejects. */
async function endWell(
  child: Child,
  start: ProcessStart,
  killed: AbortSignal,
  clock: Clock,
): Promise<Omit<ExecResult, "durationMs">> {
  const { process: main, pid, exited, closed, output } = child;
  const startedAt = clock.monotonic();
  const ending = await waitForEnding({ exited, killed, pid }, start, clock);
  const isOwnEnd = ending.ended === "exit";
  if (isOwnEnd) await waitAtMost(closed, drainMs, clock);
  else await waitAtMost(Promise.race([output.settled, exited]), greetingMs, clock);
  if (isOwnEnd) output.giveUp();
  const limit = await start.cleanUp?.(isOwnEnd ? main.exitCode : null).catch(() => undefined);
  await endProcessTree({ rootPid: pid, mark: start.mark, startedAt }, clock, graceMs);
  // A process that could not be found may hold the pipes open for ever.
  await waitAtMost(closed, drainMs, clock);
  output.stop();
  // What a program exits with when it is ended from outside says nothing about its work.
  const signal = isOwnEnd ? main.signalCode : null;
  return {
    exitCode: isOwnEnd ? main.exitCode : null,
    ...(signal !== null && { signal }),
    stdout: "",
    stderr: "",
    ...(limit === undefined ? ending : { ended: "limit", detail: limit }),
  };
}

function buildRunningProgram(child: Child, killed: AbortController, ended: Promise<ExecResult>): RunningProgram {
  const { stdin } = child.process;
  return {
    ended,
    async write(text) {
      if (stdin === null || !stdin.writable) return;
      await Promise.race([child.exited, new Promise<void>((resolve) => stdin.write(text, () => resolve()))]);
    },
    closeInput() {
      stdin?.end();
    },
    async kill() {
      killed.abort();
      await ended;
    },
  };
}

function buildEndedProgram(result: ExecResult): RunningProgram {
  return {
    ended: Promise.resolve(result),
    write: async () => undefined,
    closeInput: () => undefined,
    kill: async () => undefined,
  };
}

async function waitForEnding(
  run: { exited: Promise<void>; killed: AbortSignal; pid: number },
  { signal, timeoutMs, watch }: ProcessStart,
  clock: Clock,
): Promise<Ending> {
  const stop = AbortSignal.any([signal, run.killed]);
  const watching = watch?.(run.pid);
  let cancelTimer = () => {};
  let onAbort = () => {};
  try {
    return await Promise.race<Ending>([
      run.exited.then(() => ({ ended: "exit" })),
      new Promise((resolve) => {
        cancelTimer = clock.after(timeoutMs, () => resolve({ ended: "timeout" }));
      }),
      new Promise((resolve) => {
        onAbort = () => resolve({ ended: "aborted" });
        stop.addEventListener("abort", onAbort, { once: true });
        if (stop.aborted) onAbort();
      }),
      ...(watching === undefined ? [] : [watching.ended.then((detail): Ending => ({ ended: "limit", detail }))]),
    ]);
  } finally {
    watching?.stop();
    cancelTimer();
    stop.removeEventListener("abort", onAbort);
  }
}

async function waitAtMost(done: Promise<void>, limitMs: number, clock: Clock): Promise<void> {
  let cancel = () => {};
  const limit = new Promise<void>((resolve) => {
    // On a busy machine there may be output that has come in time and was not looked at yet.
    cancel = clock.after(limitMs, () => setImmediate(resolve));
  });
  await Promise.race([done, limit]);
  cancel();
}
