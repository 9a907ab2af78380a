/**
 * What all executors share: programs are started on this machine (perhaps through a wrapper that confines them), what runs
 * is known and ended on close, files are touched by mom herself behind the guard. The way of confinement is `launch`.
 */
import { randomBytes } from "node:crypto";
import { ToolError } from "../base/errors.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";
import type {
  ExecRequest,
  ExecResult,
  Executor,
  ExecutorScope,
  RunningProgram,
  StartRequest,
} from "../contracts/sandbox.ts";
import { createHostOperations, type OperationsOptions } from "./host-operations.ts";
import { createSafeListener, runProcess } from "./run-process.ts";
import { type Launch, startProcess } from "./start-process.ts";

/** What is to be started; `mark` must be in the program's environment, see `buildEnvironment`. */
export interface LaunchRequest {
  command: ExecRequest["command"];
  env: Record<string, string>;
  mark: string;
  /** Preparing may stop when it is aborted: then nothing is started. */
  signal: AbortSignal;
}

/** Runs a program without a scope's guard, for an executor's own checks. */
export type RunUnchecked = (request: ExecRequest, scope: ExecutorScope) => Promise<ExecResult>;

export interface LocalExecutorParts extends OperationsOptions {
  mode: Executor["mode"];
  clock: Clock;
  log: Log;
  /** `cwd` is a real path that the guard has passed. May throw; then nothing is started. */
  launch(request: LaunchRequest, scope: ExecutorScope, cwd: string): Promise<Launch>;
  check(run: RunUnchecked): ReturnType<Executor["check"]>;
  /** After everything has ended. */
  onClose?(): Promise<void>;
}

/** What is the same for a run to the end and a start beside. */
type AnyRequest = ExecRequest | StartRequest;

export function createLocalExecutor(parts: LocalExecutorParts): Executor {
  const { mode, clock, launch } = parts;
  const log = parts.log.with({ room: "sandbox" });
  const executorId = randomBytes(8).toString("hex");
  const running = createRunning();
  let runCount = 0;

  const prepare = async (request: AnyRequest, scope: ExecutorScope, cwd: string, signal: AbortSignal) => {
    // Ends with a dot, so that no mark is the beginning of another one.
    const mark = `${executorId}.${++runCount}.`;
    const { command, env = {} } = request;
    const launched = await launch({ command, env, mark, signal }, scope, cwd).catch((error: unknown) => {
      if (signal.aborted) return nothing;
      throw error;
    });
    return { ...launched, mark, timeoutMs: request.timeoutMs, signal };
  };
  const tell = (request: AnyRequest, { ended, durationMs }: ExecResult) =>
    log.debug("program ended", {
      program: "argv" in request.command ? request.command.argv[0] : "sh",
      ended,
      durationMs,
    });

  const exec = (request: ExecRequest, scope: ExecutorScope, cwd: string): Promise<ExecResult> =>
    running.keep(request.signal, async (signal) => {
      const prepared = await prepare(request, scope, cwd, signal);
      const { input, onOutput, maxOutputBytes } = request;
      const result = await runProcess({ ...prepared, input, onOutput, maxOutputBytes }, clock);
      tell(request, result);
      return result;
    });

  const start = (request: StartRequest, scope: ExecutorScope, cwd: string): Promise<RunningProgram> => {
    const { promise, resolve, reject } = Promise.withResolvers<RunningProgram>();
    const whole = running.keep(request.signal, async (signal) => {
      const prepared = await prepare(request, scope, cwd, signal);
      const { hear, failure } = createSafeListener(request.onOutput);
      const program = await startProcess({ ...prepared, keepInput: true, onOutput: hear }, clock);
      resolve(program);
      tell(request, await program.ended);
      const failed = failure();
      if (failed !== undefined) log.error("a listener to a program's output failed", { error: failed.error });
    });
    whole.catch(reject);
    return promise;
  };

  return {
    mode,
    check: () => parts.check((request, scope) => exec(request, scope, scope.cwd)),
    open: (scope) =>
      createHostOperations(
        scope,
        { exec: (r, cwd) => exec(r, scope, cwd), start: (r, cwd) => start(r, scope, cwd) },
        parts,
      ),
    async close() {
      await running.close();
      await parts.onClose?.();
    },
  };
}

/** For a start that was given up half-way, and so never happens. */
const nothing: Launch = { argv: [], env: {}, cwd: "/" };

/** Knows what runs: each gets a signal of its own that also `close` fires. */
function createRunning() {
  const all = new Map<AbortController, Promise<unknown>>();
  let isClosed = false;
  return {
    async keep<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
      if (isClosed) throw closedError();
      const stop = new AbortController();
      const forward = () => stop.abort();
      signal.addEventListener("abort", forward, { once: true });
      if (signal.aborted) stop.abort();
      const whole = work(stop.signal);
      all.set(stop, whole);
      try {
        return await whole;
      } finally {
        all.delete(stop);
        signal.removeEventListener("abort", forward);
      }
    },
    async close() {
      isClosed = true;
      for (const stop of all.keys()) stop.abort();
      await Promise.allSettled(all.values());
    },
  };
}

function closedError(): ToolError {
  return new ToolError("EXECUTOR_CLOSED", "mom is shutting down and starts no programs any more", {
    hint: "Ask again when she is back.",
    retryable: true,
  });
}
