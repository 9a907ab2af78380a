/** Runs one program to its end on the host, and its whole process tree with it. Called by the executors. */
import { type ChildProcess, spawn } from "node:child_process";
import { errorText, ToolError } from "../base/errors.ts";
import type { Clock } from "../contracts/clock.ts";
import type { ExecResult } from "../contracts/sandbox.ts";
import { createOutputTail } from "./output-tail.ts";
import { endProcessTree } from "./process-tree.ts";

export interface ProcessRun {
  argv: string[];
  cwd: string;
  env: Record<string, string>;
  /** Value of the mark in `env`. */
  mark: string;
  input: string | undefined;
  timeoutMs: number;
  signal: AbortSignal;
  onOutput: ((chunk: Uint8Array, stream: "stdout" | "stderr") => void) | undefined;
  maxOutputBytes: number;
}

/** Between the polite signal and the final one. */
const graceMs = 1000;
/** How long output may still trickle in after the program itself has ended. */
const drainMs = 250;

export async function runProcess(run: ProcessRun, clock: Clock): Promise<ExecResult> {
  const startedAt = clock.monotonic();
  const stdout = createOutputTail(run.maxOutputBytes);
  const stderr = createOutputTail(run.maxOutputBytes);
  const toResult = (ended: ExecResult["ended"], exitCode: number | null, signal: string | null): ExecResult => ({
    exitCode,
    ...(signal === null ? {} : { signal }),
    stdout: stdout.text(),
    stderr: stderr.text(),
    ended,
    durationMs: Math.round(clock.monotonic() - startedAt),
  });
  if (run.signal.aborted) return toResult("aborted", null, null);

  const child = startChild(run);
  const listener = createOutputListener(run.onOutput);
  child.stdout?.on("data", (chunk: Uint8Array) => {
    stdout.push(chunk);
    listener.hear(chunk, "stdout");
  });
  child.stderr?.on("data", (chunk: Uint8Array) => {
    stderr.push(chunk);
    listener.hear(chunk, "stderr");
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const rootPid = await waitForStart(child, run);

  const ended = await waitForEnd(exited, run, clock);
  if (ended === "exit") await waitAtMost(closed, drainMs, clock);
  await endProcessTree({ rootPid, mark: run.mark }, clock, graceMs);
  // A process that could not be found may hold the pipes open for ever.
  await waitAtMost(closed, drainMs, clock);
  child.stdout?.destroy();
  child.stderr?.destroy();
  listener.finish();
  return toResult(ended, child.exitCode, child.signalCode);
}

function startChild(run: ProcessRun): ChildProcess {
  const [program, ...args] = run.argv;
  if (program === undefined || run.argv.some((part) => part.includes("\0"))) {
    throw new ToolError("EXEC_INVALID", "A command needs a program and must not contain NUL bytes", {
      hint: "Remove the NUL bytes from the command.",
    });
  }
  const child = spawn(program, args, {
    cwd: run.cwd,
    env: run.env,
    // Its own session and group, so that all of it can be ended at once.
    detached: true,
    stdio: [run.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  // A program need not read what it is given.
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(run.input);
  return child;
}

async function waitForStart(child: ChildProcess, run: ProcessRun): Promise<number> {
  const failure = await new Promise<unknown>((resolve) => {
    child.once("spawn", () => resolve(undefined));
    child.on("error", resolve);
  });
  if (failure === undefined && child.pid !== undefined) return child.pid;
  throw new ToolError("EXEC_FAILED", `Cannot start "${run.argv[0]}" in ${run.cwd}: ${errorText(failure)}`, {
    hint: "Check that the program is installed and the folder exists.",
    cause: failure,
  });
}

async function waitForEnd(exited: Promise<void>, run: ProcessRun, clock: Clock): Promise<ExecResult["ended"]> {
  let cancelTimer = () => {};
  let onAbort = () => {};
  try {
    return await Promise.race([
      exited.then(() => "exit" as const),
      new Promise<"timeout">((resolve) => {
        cancelTimer = clock.after(run.timeoutMs, () => resolve("timeout"));
      }),
      new Promise<"aborted">((resolve) => {
        onAbort = () => resolve("aborted");
        run.signal.addEventListener("abort", onAbort, { once: true });
        if (run.signal.aborted) resolve("aborted");
      }),
    ]);
  } finally {
    cancelTimer();
    run.signal.removeEventListener("abort", onAbort);
  }
}

async function waitAtMost(done: Promise<void>, limitMs: number, clock: Clock): Promise<void> {
  let cancel = () => {};
  const limit = new Promise<void>((resolve) => {
    cancel = clock.after(limitMs, resolve);
  });
  await Promise.race([done, limit]);
  cancel();
}

/** Passes output on until the end; what a listener throws comes out of the run, not out of a stream's event. */
function createOutputListener(onOutput: ProcessRun["onOutput"]) {
  let isOver = false;
  let failure: { error: unknown } | undefined;
  return {
    hear(chunk: Uint8Array, stream: "stdout" | "stderr") {
      if (isOver || failure !== undefined) return;
      try {
        onOutput?.(chunk, stream);
      } catch (error) {
        failure = { error };
      }
    },
    finish() {
      isOver = true;
      if (failure !== undefined) throw failure.error;
    },
  };
}
