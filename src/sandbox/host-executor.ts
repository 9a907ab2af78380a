/**
 * Runs tools directly on this machine, with mom's own rights: file operations are confined to the scope's roots, programs
 * are not. Tool policy therefore gives programs only to sessions that are fully trusted.
 */
import { access, constants } from "node:fs/promises";
import { errorText } from "../base/errors.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";
import type { ExecRequest, Executor } from "../contracts/sandbox.ts";
import type { Programs } from "./catalog.ts";
import { buildEnvironment } from "./environment.ts";
import { createLocalExecutor, type RunUnchecked } from "./local-executor.ts";
import { createPathGuard } from "./path-guard.ts";
import { createFolderFinder } from "./scope-folders.ts";

export interface HostExecutorDependencies {
  clock: Clock;
  log: Log;
  programs: Programs;
  /** The host's environment; only a short list of harmless names of it is passed on. */
  environment: Readonly<Record<string, string | undefined>>;
}

const checkTimeoutMs = 10_000;

export function createHostExecutor(dependencies: HostExecutorDependencies): Executor {
  const { clock, log, programs, environment } = dependencies;
  const folders = createFolderFinder({ log: log.with({ room: "sandbox" }) });
  return createLocalExecutor({
    mode: "host",
    clock,
    log,
    launch: async ({ command, env, mark }, _scope, cwd) => ({
      argv: await toArgv(command, programs),
      env: buildEnvironment(environment, env, mark),
      cwd,
    }),
    createGuard: (scope) => createPathGuard(scope, { folders }),
    check,
  });
}

async function check(run: RunUnchecked): ReturnType<Executor["check"]> {
  try {
    const request = { timeoutMs: checkTimeoutMs, maxOutputBytes: 4096, signal: AbortSignal.timeout(checkTimeoutMs) };
    const scope = { cwd: "/", roots: [], hidden: [] };
    await run({ ...request, command: { shell: "exit 0" } }, scope);
    const { stdout, stderr, exitCode } = await run({ ...request, command: { argv: ["rg", "--version"] } }, scope);
    if (exitCode !== 0) return { ok: false, detail: `ripgrep does not run: ${stderr.trim()}` };
    const detail = `host, ${stdout.split("\n")[0] ?? "ripgrep"}; programs run with mom's own rights and network`;
    return { ok: true, detail };
  } catch (error) {
    return { ok: false, detail: errorText(error) };
  }
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
