/**
 * The command line of docker or podman, found once and called for every container. Mom's own side of docker mode: what is
 * called here runs with mom's rights and is never chosen by a tool.
 */
import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import type { DockerConfig } from "./docker-config.ts";

export type EngineName = "docker" | "podman";

export interface EngineAnswer {
  /** Null when it could not be started, or did not answer in time. */
  exitCode: number | null;
  stdout: string;
  /** Never empty after a failure. */
  stderr: string;
}

export interface DockerEngine {
  readonly name: EngineName;
  /** For people: `podman 4.3.1`. */
  readonly title: string;
  /** Containers live in a user namespace where mom's own user is another one, unless it is mapped. */
  readonly isRootless: boolean;
  readonly env: Record<string, string>;
  /** The whole command line for these arguments. */
  toArgv(args: readonly string[]): string[];
  /** Never rejects. */
  call(args: readonly string[], timeoutMs?: number): Promise<EngineAnswer>;
}

export interface EngineOptions {
  /** The host's environment: what the engine's command line needs of it is passed on. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Put before every command, such as `--runtime runc`. */
  globalArgs?: readonly string[];
}

const defaultTimeoutMs = 30_000;
const maxAnswerBytes = 4_000_000;
const passedOn =
  /^(PATH|HOME|USER|LOGNAME|LANG|LC_.*|TMPDIR|SSH_AUTH_SOCK|XDG_.*|DOCKER_.*|CONTAINER_.*|CONTAINERS_.*|STORAGE_.*)$/;

/** The first engine that answers, or what each of them said instead. */
export async function findEngine(
  wanted: DockerConfig["engine"],
  options: EngineOptions,
): Promise<DockerEngine | { problem: string }> {
  const names: EngineName[] = wanted === "auto" ? ["docker", "podman"] : [wanted];
  const problems: string[] = [];
  for (const name of names) {
    const found = await probeEngine(name, options);
    if ("call" in found) return found;
    problems.push(`${name}: ${found.problem}`);
  }
  return { problem: problems.join("; ") };
}

/** Docker is asked for its server, because the client alone is not enough; podman needs none. */
const probes: Record<EngineName, string[]> = {
  docker: ["version", "--format", "{{.Server.Version}}"],
  podman: ["version", "--format", "{{.Client.Version}}"],
};

async function probeEngine(name: EngineName, options: EngineOptions): Promise<DockerEngine | { problem: string }> {
  const env = pickEnvironment(options.environment);
  const toArgv = (args: readonly string[]) => [name, ...(options.globalArgs ?? []), ...args];
  const call: DockerEngine["call"] = (args, timeoutMs = defaultTimeoutMs) => callProgram(toArgv(args), env, timeoutMs);
  const { exitCode, stdout, stderr } = await call(probes[name]);
  const version = stdout.trim();
  if (exitCode !== 0 || version === "") return { problem: stderr || "no version in its answer" };
  const isRootless = name === "podman" && process.getuid?.() !== 0;
  return { name, title: `${name} ${version}`, isRootless, env, toArgv, call };
}

function pickEnvironment(host: EngineOptions["environment"]): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const [name, value] of Object.entries(host)) {
    if (value !== undefined && passedOn.test(name)) picked[name] = value;
  }
  return picked;
}

function callProgram(argv: string[], env: Record<string, string>, timeoutMs: number): Promise<EngineAnswer> {
  const [program = "", ...args] = argv;
  // The engine leaves files of its own where it was started.
  const options = { env, cwd: tmpdir(), timeout: timeoutMs, killSignal: "SIGKILL", maxBuffer: maxAnswerBytes } as const;
  return new Promise((resolve) => {
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) return resolve({ exitCode: 0, stdout, stderr });
      const exitCode = typeof error.code === "number" ? error.code : null;
      const reason = error.code === "ENOENT" ? "not installed" : error.killed ? "no answer in time" : error.message;
      resolve({ exitCode, stdout, stderr: stderr.trim() || reason });
    });
  });
}
