/**
 * Everything that is decided about one program before it starts in the sandbox: what it sees, as whom it runs, what it may
 * take. Made by `bwrap-executor.ts` for every call; the commands themselves come from `bwrap-args.ts`.
 */
import { access, constants, readdir, readFile, realpath } from "node:fs/promises";
import { delimiter, isAbsolute, resolve } from "node:path";
import { ToolError } from "../base/errors.ts";
import type { Clock } from "../contracts/clock.ts";
import type { ExecutorScope } from "../contracts/sandbox.ts";
import {
  type BwrapCommand,
  type BwrapTools,
  buildBwrapCommand,
  type Pin,
  type SystemMount,
  toArgv,
} from "./bwrap-args.ts";
import { planMounts, planSystem, programsDir } from "./bwrap-plan.ts";
import { buildConfinedEnvironment, buildLauncherEnvironment } from "./environment.ts";
import { createHardLinkSearch } from "./hard-links.ts";
import { type InitProcess, openInitProcess } from "./init-process.ts";
import { type HardLimits, parseHardLimits, type SandboxLimits } from "./limits.ts";
import type { LaunchRequest } from "./local-executor.ts";
import { openPins, swappedError } from "./pinned-sources.ts";
import { isWithin } from "./real-path.ts";
import { type WatchLimits, watchResources } from "./resource-watch.ts";
import type { SandboxUser } from "./sandbox-user.ts";
import type { FolderFinder } from "./scope-folders.ts";
import { type Architecture, buildSeccompFilter } from "./seccomp.ts";
import { closeDescriptors } from "./spawn-child.ts";
import type { Launch } from "./start-process.ts";
import { openWithBytes } from "./unnamed-file.ts";

export interface BwrapSettings {
  readable: readonly string[];
  limits: SandboxLimits;
}

export interface BwrapLauncherParts {
  clock: Clock;
  environment: Readonly<Record<string, string | undefined>>;
  tools: BwrapTools;
  architecture: Architecture;
  /** Absolute path of ripgrep. */
  rg: string;
  /** Absolute paths that no session sees as a whole, wherever they lie. */
  privateDirs: readonly string[];
  user: SandboxUser;
  folders: FolderFinder;
}

/** A program's start, still in parts. */
export interface PreparedLaunch {
  command: BwrapCommand;
  filter: Buffer;
  env: Record<string, string>;
  watch: WatchLimits;
}

export interface BwrapLauncher {
  /** Throws `EXEC_FAILED` for a program that is not there. */
  prepare(request: LaunchRequest, scope: ExecutorScope, cwd: string): Promise<PreparedLaunch>;
  /** Throws `SANDBOX_FAILED` when what is to be shown cannot be opened any more. */
  toLaunch(prepared: PreparedLaunch): Promise<Launch>;
}

const home = "/tmp";
const closeOnExec = 0o2_000_000;

export function createBwrapLauncher(parts: BwrapLauncherParts, settings: BwrapSettings): BwrapLauncher {
  const { clock, environment, tools, rg, user, privateDirs, folders } = parts;
  const { limits, readable } = settings;
  const links = createHardLinkSearch({ clock });
  const filter = buildSeccompFilter(parts.architecture);
  let host: ReturnType<typeof lookAtHost> | undefined;

  return {
    async prepare(request, scope, cwd) {
      await user.ensureOwner(scope);
      host ??= lookAtHost();
      const shown = await folders.find({ ...scope, roots: [], readOnly: [...readable], readOnlyInside: [] });
      const [system, mounts, facts] = await Promise.all([
        planSystem({ readable: shown.readOnly, privateDirs, agentFolders: shown.agentFolders }),
        planMounts({ scope, readable: [], shown: shown.readOnly, rg, links, folders, signal: request.signal }),
        host,
      ]);
      const env = buildConfinedEnvironment(environment, request.env, request.mark, { home, programsDir });
      const argv = await toProgram(request.command, env["PATH"] ?? "", cwd, [...system, ...mounts]);
      const command = buildBwrapCommand({
        system,
        mounts,
        cwd,
        hasNetwork: scope.hasNetwork ?? false,
        env,
        limits,
        ...facts,
        user: user.owner,
        tools,
        greeting: `mom started ${request.mark}`,
        argv,
      });
      const writable = mounts.flatMap((mount) => (mount.type === "writable" ? [mount.source] : []));
      return {
        command,
        filter,
        env: buildLauncherEnvironment(environment, request.mark),
        watch: { ...limits, folders: writable },
      };
    },
    async toLaunch({ command, filter: filterBytes, env, watch }) {
      const options = Buffer.from(command.options.map((option) => `${option}\0`).join(""));
      const { fds, init } = await openAll([filterBytes, options], command.pins, clock);
      return {
        argv: toArgv(command),
        env,
        // The sandbox goes to the working folder by itself; the way there may be closed to its user.
        cwd: "/",
        fds,
        watch: (pid) => watchResources(pid, watch, clock),
        cleanUp: init.end,
        release: init.release,
        greeting: { prefix: command.greeting, hear: () => undefined, toError: toStartError },
      };
    },
  };
}

/** What mom was started with. Read once, before she has opened anything without care. */
async function lookAtHost(): Promise<{ hardLimits: HardLimits; strayFds: number[] }> {
  const [limits, fds] = await Promise.all([readFile("/proc/self/limits", "utf8"), readdir("/proc/self/fdinfo")]);
  const isStray = async (fd: string) => {
    const info = await readFile(`/proc/self/fdinfo/${fd}`, "utf8").catch(() => "");
    const flags = Number.parseInt(/^flags:\s+([0-7]+)/m.exec(info)?.[1] ?? "", 8);
    return Number(fd) > 2 && !Number.isNaN(flags) && (flags & closeOnExec) === 0;
  };
  const stray = await Promise.all(fds.map(isStray));
  return { hardLimits: parseHardLimits(limits), strayFds: fds.filter((_, index) => stray[index]).map(Number) };
}

/** Descriptors in the order in which the sandbox counts on them: all of them, or none. */
async function openAll(contents: readonly Buffer[], pins: readonly Pin[], clock: Clock) {
  const fds: number[] = [];
  let init: InitProcess | undefined;
  try {
    for (const bytes of contents) fds.push(await openWithBytes(bytes));
    init = await openInitProcess(clock);
    fds.push(init.fd);
    fds.push(...(await openPins(pins)));
    return { fds, init };
  } catch (error) {
    closeDescriptors(fds);
    init?.release();
    throw error;
  }
}

function toStartError(noise: string): ToolError {
  const detail = noise.split("\n").at(-1) ?? "";
  // What it says when a descriptor is of something that has been replaced or removed since.
  if (/^bwrap: (Race condition|Can't find source path \/proc\/self\/fd)/.test(detail)) return swappedError(detail);
  return new ToolError("SANDBOX_FAILED", `The sandbox could not be built: ${detail || "it ended without a word"}`, {
    hint: "Run mom doctor; check that the folders of the session are there and can be entered.",
  });
}

/** Looked up before the start, for inside a sandbox nobody could tell a missing program from one that fails. */
async function toProgram(
  command: LaunchRequest["command"],
  path: string,
  cwd: string,
  mounts: readonly SystemMount[],
): Promise<string[]> {
  // Given a socket as standard input, bash takes itself for a remote shell and reads the user's start-up file.
  if ("shell" in command) {
    const bash = await findProgram("/bin/bash", [], mounts);
    return bash === undefined ? ["/bin/sh", "-c", command.shell] : [bash, "--norc", "-c", command.shell];
  }
  const [name, ...args] = command.argv;
  if (name === undefined || command.argv.some((part) => part.includes("\0"))) {
    throw new ToolError("EXEC_INVALID", "A command needs a program and must not contain NUL bytes", {
      hint: "Remove the NUL bytes from the command.",
    });
  }
  if (name === "rg") return [`${programsDir}/rg`, ...args];
  const folders = name.includes("/") ? [cwd] : path.split(delimiter).filter(isAbsolute);
  const found = await findProgram(name, folders, mounts);
  if (found !== undefined) return [found, ...args];
  throw new ToolError("EXEC_FAILED", `Cannot start "${name}" in ${cwd}: there is no such program in the sandbox`, {
    hint: "Check that the program is installed in one of the system's folders, or add its folder to sandbox.readable.",
  });
}

async function findProgram(name: string, folders: readonly string[], mounts: readonly SystemMount[]) {
  const shown = mounts.flatMap((mount) => ("source" in mount ? [mount.source] : []));
  for (const folder of folders.length === 0 ? ["/"] : folders) {
    const path = resolve(folder, name);
    const real = await realpath(path).catch(() => undefined);
    // What lies outside must not even be known to be there.
    if (real === undefined || !shown.some((dir) => isWithin(real, dir))) continue;
    if (
      await access(real, constants.X_OK).then(
        () => true,
        () => false,
      )
    ) {
      return path;
    }
  }
  return undefined;
}
