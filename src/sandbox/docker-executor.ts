/**
 * Runs programs in containers of docker or podman: in one that the operator named, or in mom's own, one per set of folders.
 * Files are used by mom herself behind the guard, as in every mode. Ripgrep comes along into mom's own containers; it runs on
 * the host only where a container cannot have it: the operator's may lack it, and elsewhere than on Linux it is another one.
 */
import { randomBytes } from "node:crypto";
import { ToolError } from "../base/errors.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";
import type { Executor, ExecutorScope } from "../contracts/sandbox.ts";
import { programsDir } from "./bwrap-plan.ts";
import type { Programs } from "./catalog.ts";
import type { SandboxConfig } from "./config.ts";
import { createAttachedPlace } from "./docker-attached.ts";
import { buildNoEngine, checkDocker } from "./docker-check.ts";
import { type DockerEngine, type EngineOptions, findEngine } from "./docker-engine.ts";
import { buildLaunch } from "./docker-launch.ts";
import { createOwnPlace } from "./docker-own.ts";
import type { ContainerPlace } from "./docker-place.ts";
import { buildEnvironment } from "./environment.ts";
import { createLocalExecutor, type LaunchRequest } from "./local-executor.ts";
import { createPathGuard } from "./path-guard.ts";
import { watchResources } from "./resource-watch.ts";
import { buildSearchArguments } from "./safe-ripgrep.ts";
import { createSandboxUser } from "./sandbox-user.ts";
import { createFolderFinder } from "./scope-folders.ts";
import type { Launch } from "./start-process.ts";

export interface DockerExecutorDependencies {
  clock: Clock;
  log: Log;
  programs: Programs;
  /** The host's environment. Of it programs inside get the time zone at most; the engine's command line gets its own. */
  environment: Readonly<Record<string, string | undefined>>;
  /** The same after a restart, another one for every mom on this machine: whose containers are whose. */
  instance: string;
  /** What this machine's engine needs beside: before every command, and for starting a container. */
  engineArgs?: { global?: readonly string[]; run?: readonly string[] };
}

export type DockerExecutorConfig = Pick<SandboxConfig, "docker" | "user" | "readable" | "limits">;

export function createDockerExecutor(dependencies: DockerExecutorDependencies, config: DockerExecutorConfig): Executor {
  const { clock, environment, engineArgs = {} } = dependencies;
  const { docker } = config;
  const log = dependencies.log.with({ room: "sandbox" });
  const folders = createFolderFinder({ log });
  const user = createSandboxUser({ log, uid: config.user, folders });
  const options: EngineOptions = { environment, globalArgs: engineArgs.global ?? [] };
  const find = createFinder(docker, options);
  const { container } = docker;
  const isOwn = container === undefined;
  const place: ContainerPlace = isOwn
    ? createOwnPlace({ ...dependencies, log, user, folders, runArgs: engineArgs.run ?? [] }, config)
    : createAttachedPlace({ log, folders }, docker, container);

  const launchInside = async (request: LaunchRequest, scope: ExecutorScope, cwd: string): Promise<Launch> => {
    const engine = await find();
    const entered = await place.enter(engine, scope, cwd, request.signal);
    const hello = `mom-${randomBytes(12).toString("hex")}:`;
    const base = buildBaseVariables(environment["TZ"], isOwn);
    // Memory is the container's own affair; disks are shared with everybody.
    const limits = { ...config.limits, memoryMb: Number.POSITIVE_INFINITY, minFreeMemoryMb: 0, folders: scope.roots };
    return {
      ...buildLaunch({ ...entered, request, base, engine, log, hello }),
      watch: (pid) => watchResources(pid, limits, clock),
    };
  };
  return createLocalExecutor({
    mode: "docker",
    clock,
    log,
    // Whom programs run as in a container of the operator's is not known here.
    createGuard: (scope) =>
      createPathGuard(scope, { hasWorkspaceName: true, owner: isOwn ? user.owner : undefined, folders }),
    async launch(request, scope, cwd) {
      const search = toSearch(request);
      if (search === undefined) return launchInside(request, scope, cwd);
      if (!isOwn || process.platform !== "linux") return searchOnHost(search, cwd, dependencies);
      return launchInside({ ...search, command: { argv: [`${programsDir}/rg`, ...search.args] } }, scope, cwd);
    },
    async check() {
      const engine = await findEngine(docker.engine, options);
      return "problem" in engine ? buildNoEngine(docker.engine, engine.problem) : checkDocker(engine, docker);
    },
    onClose: () => place.close(),
  });
}

interface Search extends LaunchRequest {
  args: string[];
}

/** Ripgrep, without what the call adds to the environment: on the host that could start programs. */
function toSearch(request: LaunchRequest): Search | undefined {
  const { command } = request;
  if (!("argv" in command) || command.argv[0] !== "rg") return undefined;
  return { ...request, env: {}, args: buildSearchArguments(command.argv.slice(1)) };
}

const searchOnHost = (
  { args, mark }: Search,
  cwd: string,
  { programs, environment }: Pick<DockerExecutorDependencies, "programs" | "environment">,
): Launch => ({ argv: [programs.rg, ...args], env: buildEnvironment(environment, {}, mark), cwd });

/** Images have few languages installed; a home there is only where the image has a user for it. */
function buildBaseVariables(timeZone: string | undefined, isOwn: boolean): Record<string, string> {
  return {
    LANG: "C.UTF-8",
    ...(timeZone !== undefined && { TZ: timeZone }),
    ...(isOwn && { HOME: "/tmp" }),
  };
}

/** Looks for the engine until one is found; then it stays. */
function createFinder(docker: SandboxConfig["docker"], options: EngineOptions): () => Promise<DockerEngine> {
  let found: Promise<DockerEngine> | undefined;
  const find = async () => {
    const engine = await findEngine(docker.engine, options);
    if (!("problem" in engine)) return engine;
    const { detail, hint } = buildNoEngine(docker.engine, engine.problem);
    throw new ToolError("SANDBOX_UNAVAILABLE", detail, { hint });
  };
  return () => {
    found ??= find().catch((error: unknown) => {
      found = undefined;
      throw error;
    });
    return found;
  };
}
