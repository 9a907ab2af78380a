/**
 * Runs tools directly on this machine, with mom's own rights: file operations are confined to the scope's roots, programs
 * are not. Tool policy therefore gives programs only to sessions that are fully trusted.
 */
import { randomBytes } from "node:crypto";
import { access, constants } from "node:fs/promises";
import { errorText, ToolError } from "../base/errors.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";
import type { ExecRequest, ExecResult, Executor } from "../contracts/sandbox.ts";
import type { Programs } from "./catalog.ts";
import { buildEnvironment } from "./environment.ts";
import { createHostOperations } from "./host-operations.ts";
import { runProcess } from "./run-process.ts";

export interface HostExecutorDependencies {
  clock: Clock;
  log: Log;
  programs: Programs;
  /** The host's environment; only a short list of harmless names of it is passed on. */
  environment: Readonly<Record<string, string | undefined>>;
}

const checkTimeoutMs = 10_000;

export function createHostExecutor(dependencies: HostExecutorDependencies): Executor {
  const { clock, programs, environment } = dependencies;
  const log = dependencies.log.with({ room: "sandbox" });
  const executorId = randomBytes(8).toString("hex");
  const running = new Map<AbortController, Promise<unknown>>();
  let runCount = 0;
  let isClosed = false;

  const start = async (request: ExecRequest, cwd: string, signal: AbortSignal): Promise<ExecResult> => {
    const mark = `${executorId}.${++runCount}`;
    const argv = await toArgv(request.command, programs);
    const { input, timeoutMs, onOutput, maxOutputBytes } = request;
    const env = buildEnvironment(environment, request.env ?? {}, mark);
    const result = await runProcess(
      { argv, cwd, env, mark, input, timeoutMs, signal, onOutput, maxOutputBytes },
      clock,
    );
    log.debug("program ended", { program: argv[0], ended: result.ended, durationMs: result.durationMs });
    return result;
  };

  const run = async (request: ExecRequest, cwd: string): Promise<ExecResult> => {
    if (isClosed) {
      throw new ToolError("EXECUTOR_CLOSED", "mom is shutting down and starts no programs any more", {
        hint: "Ask again when she is back.",
        retryable: true,
      });
    }
    const stop = new AbortController();
    const forward = () => stop.abort();
    request.signal.addEventListener("abort", forward, { once: true });
    if (request.signal.aborted) stop.abort();
    const work = start(request, cwd, stop.signal);
    running.set(stop, work);
    try {
      return await work;
    } finally {
      running.delete(stop);
      request.signal.removeEventListener("abort", forward);
    }
  };

  return {
    mode: "host",
    async check() {
      try {
        const signal = AbortSignal.timeout(checkTimeoutMs);
        const request = { timeoutMs: checkTimeoutMs, maxOutputBytes: 4096, signal };
        await run({ ...request, command: { shell: "exit 0" } }, "/");
        const { stdout, stderr, exitCode } = await run({ ...request, command: { argv: ["rg", "--version"] } }, "/");
        if (exitCode !== 0) return { ok: false, detail: `ripgrep does not run: ${stderr.trim()}` };
        return { ok: true, detail: `host, ${stdout.split("\n")[0] ?? "ripgrep"}` };
      } catch (error) {
        return { ok: false, detail: errorText(error) };
      }
    },
    open: (scope) => createHostOperations(scope, run),
    async close() {
      isClosed = true;
      for (const stop of running.keys()) stop.abort();
      await Promise.allSettled(running.values());
    },
  };
}

async function toArgv(command: ExecRequest["command"], programs: Programs): Promise<string[]> {
  if ("shell" in command) return [...(await findShell()), "-c", command.shell];
  const [program, ...args] = command.argv;
  return program === "rg" ? [programs.rg, ...args] : command.argv;
}

/** Models write bash; where there is none, the system's own shell does. */
async function findShell(): Promise<string[]> {
  try {
    await access("/bin/bash", constants.X_OK);
    // Given a socket as standard input, bash takes itself for a remote shell and reads the user's start-up file.
    return ["/bin/bash", "--norc"];
  } catch {
    return ["/bin/sh"];
  }
}
