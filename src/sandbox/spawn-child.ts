/**
 * The first moments of a program: spawned in a session of its own, input given, output passed on, the wrapper's greeting
 * taken out of it. `start-process.ts` looks after it from there.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { errorText, ToolError } from "../base/errors.ts";
import { type Greeting, splitGreeting } from "./greeting.ts";

export interface SpawnRequest {
  argv: string[];
  env: Record<string, string>;
  cwd: string;
  /** Open descriptors that become 3, 4, … of the child. Closed here in any case, also when nothing is started. */
  fds?: number[];
  /** The program counts as started only when its wrapper has said so. */
  greeting?: Greeting;
  /** Given first; then standard input is closed, unless it is to be kept open. Absent: empty. */
  input?: string | undefined;
  keepInput?: boolean;
  /** Must not throw. Not called after `output.stop`. */
  onOutput(chunk: Uint8Array, stream: "stdout" | "stderr"): void;
}

/** The started process, and what is known of it as it goes on. */
export interface Child {
  process: ChildProcess;
  pid: number;
  exited: Promise<void>;
  /** Ended, and its output read to the end. */
  closed: Promise<void>;
  output: ReturnType<typeof listenToOutput>;
}

/** Throws `EXEC_INVALID` or `EXEC_FAILED` when nothing could be started. */
export async function spawnChild(start: SpawnRequest): Promise<Child> {
  const child = spawnWithInput(start);
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const output = listenToOutput(child, start);
  return { process: child, pid: await waitForSpawn(child, start), exited, closed, output };
}

function spawnWithInput({ argv, cwd, env, fds = [], input, keepInput = false }: SpawnRequest): ChildProcess {
  const [program, ...args] = argv;
  try {
    if (program === undefined || argv.some((part) => part.includes("\0"))) throw invalidCommand();
    const child = spawn(program, args, {
      cwd,
      env,
      // Its own session and group, so that all of it can be ended at once.
      detached: true,
      stdio: [input === undefined && !keepInput ? "ignore" : "pipe", "pipe", "pipe", ...fds],
    });
    // A program need not read what it is given.
    child.stdin?.on("error", () => undefined);
    if (input !== undefined) child.stdin?.write(input);
    if (!keepInput) child.stdin?.end();
    return child;
  } catch (error) {
    if (error instanceof TypeError) throw invalidCommand(error);
    throw error;
  } finally {
    closeDescriptors(fds);
  }
}

function invalidCommand(cause?: unknown): ToolError {
  return new ToolError("EXEC_INVALID", "A command needs a program, and neither it nor its environment may hold NULs", {
    hint: "Remove the NUL bytes from the command.",
    cause,
  });
}

export function closeDescriptors(fds: number[] = []): void {
  for (const fd of fds) closeSync(fd);
}

async function waitForSpawn(child: ChildProcess, start: SpawnRequest): Promise<number> {
  const failure = await new Promise<unknown>((resolve) => {
    child.once("spawn", () => resolve(undefined));
    child.on("error", resolve);
  });
  if (failure === undefined && child.pid !== undefined) return child.pid;
  throw new ToolError("EXEC_FAILED", `Cannot start "${start.argv[0]}" in ${start.cwd}: ${errorText(failure)}`, {
    hint: "Check that the program is installed and the folder exists.",
    cause: failure,
  });
}

/** Passes output on, the greeting left out. */
function listenToOutput(child: ChildProcess, start: SpawnRequest) {
  const { greeting, onOutput } = start;
  let isOver = false;
  const hear = (chunk: Uint8Array, stream: "stdout" | "stderr") => {
    if (!isOver && chunk.length > 0) onOutput(chunk, stream);
  };
  const split = greeting && splitGreeting(greeting);
  child.stdout?.on("data", (chunk: Uint8Array) => hear(chunk, "stdout"));
  child.stderr?.on("data", (chunk: Uint8Array) => hear(split?.take(chunk) ?? chunk, "stderr"));
  const started = split?.heard ?? Promise.resolve();
  return {
    started,
    settled: started.catch(() => undefined),
    giveUp: () => split?.giveUp(),
    stop() {
      isOver = true;
      child.stdout?.destroy();
      child.stderr?.destroy();
    },
  };
}
