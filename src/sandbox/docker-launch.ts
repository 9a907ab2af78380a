/** One program in a container: the engine's command line for it, how it announces itself, and how it is ended. */
import { ToolError } from "../base/errors.ts";
import type { Log } from "../contracts/log.ts";
import type { DockerEngine } from "./docker-engine.ts";
import { buildEndArguments, buildEnterArguments, parseHello } from "./docker-inside.ts";
import type { ContainerLease } from "./docker-place.ts";
import { buildEnvironment } from "./environment.ts";
import type { LaunchRequest } from "./local-executor.ts";
import type { Launch } from "./start-process.ts";

export interface DockerLaunchRequest {
  request: LaunchRequest;
  engine: DockerEngine;
  lease: ContainerLease;
  /** Inside. */
  cwd: string;
  /** What programs get beside what the call adds; the path comes from the image. */
  base: Readonly<Record<string, string>>;
  hello: string;
  log: Log;
}

const isVariableName = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** From here on a signal ended the program, or its parent inside, which then has not cleared up. */
const firstSignalCode = 129;
const killedCode = 137;

/** The lease is released by the launch, or here when there is none because of what was asked for. */
export function buildLaunch({ request, engine, lease, cwd, base, hello, log }: DockerLaunchRequest): Launch {
  const { command, mark } = request;
  const program = "shell" in command ? "sh" : (command.argv[0] ?? "");
  const env = buildVariables(base, request);
  const odd = findOddWord(program, env);
  if (odd !== undefined) {
    lease.release();
    throw new ToolError("EXEC_INVALID", `${JSON.stringify(odd)} cannot be passed into a container`, {
      hint: "Name a program without = in it, and variables of letters, digits and _.",
    });
  }
  let parent: ReturnType<typeof parseHello>;

  const end = async (exitCode: number | null): Promise<string | undefined> => {
    const answer = await engine.call(["exec", lease.name, ...buildEndArguments(parent?.pid, mark)]);
    if (answer.exitCode !== 0) {
      log.warn("programs in a container did not end, so it is given up", { reason: answer.stderr });
      await lease.discard();
      return undefined;
    }
    const hasRunOut = exitCode === killedCode && Number(answer.stdout) > (parent?.killedBefore ?? 0);
    return hasRunOut ? "The container ran out of memory, and it was ended" : undefined;
  };
  const inside = buildEnterArguments({ command, env, mark, hello });
  return {
    argv: engine.toArgv(["exec", "--interactive", `--workdir=${cwd}`, lease.name, ...inside]),
    env: engine.env,
    cwd: "/",
    greeting: {
      prefix: hello,
      hear(rest) {
        parent = parseHello(rest);
        if (parent === undefined) throw notStarted(program, "the container has no such program");
      },
      toError: (noise) => notStarted(program, noise),
    },
    async cleanUp(exitCode) {
      const isCleared = exitCode !== null && exitCode < firstSignalCode && parent !== undefined;
      return isCleared ? undefined : end(exitCode);
    },
    release: lease.release,
  };
}

/** Without the host's path: the image knows its own, unless the call brings one. */
function buildVariables(base: DockerLaunchRequest["base"], { env, mark }: LaunchRequest): Record<string, string> {
  const { PATH: _hostPath, ...variables } = buildEnvironment(base, env, mark);
  const path = env["PATH"];
  return path === undefined ? variables : { ...variables, PATH: path };
}

/** What the program inside that sets variables and starts others would take for something else. */
function findOddWord(program: string, env: Record<string, string>): string | undefined {
  if (program === "" || program.includes("=")) return program;
  return Object.keys(env).find((name) => !isVariableName.test(name));
}

function notStarted(program: string, reason: string): ToolError {
  return new ToolError("EXEC_FAILED", `Cannot start "${program}" in the container: ${reason || "no answer"}`, {
    hint: "Check that the program is in the image and the folder exists; call again if the container was stopped.",
    retryable: true,
  });
}
