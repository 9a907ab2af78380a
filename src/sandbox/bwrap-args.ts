/**
 * From a plan of what a program may see to the commands that start it there. Pure; `bwrap-plan.ts` looks at the disk for
 * it, `bwrap-executor.ts` starts what comes out.
 *
 * As root there are two bubblewraps. The outer one still has root's rights and only makes the folders reachable, for they
 * may lie where the sandbox's user cannot go; then the uid is dropped for good, and the inner one, in a user namespace of
 * its own, is the sandbox. One alone would not be: uid 0 inside is uid 0 for files, whatever its capabilities.
 */
import { join, relative } from "node:path";
import { buildLimitLines, type HardLimits, type SandboxLimits, toBytes } from "./limits.ts";
import type { Owner } from "./path-guard.ts";
import { isWithin } from "./real-path.ts";

/**
 * What is at a place inside. Later ones lie over earlier ones. A source `below` a folder could be swapped for a link at any
 * moment: it is opened from there beforehand, and mounted by its descriptor. A public one can be reached by everybody.
 */
export type Mount =
  | { type: "readOnly" | "writable"; source: string; at: string; below?: string; isPublic?: true }
  | { type: "link"; target: string; at: string }
  /** An empty folder over a folder. */
  | { type: "empty"; at: string }
  /** Something unreadable over a file. */
  | { type: "blocked"; at: string };

/** `bare`: an empty folder over a folder, to hang others into. */
export type SystemMount = Mount | { type: "bare"; at: string };

export interface BwrapPlan {
  /** The system's own folders, and what the operator lets everybody read. */
  system: SystemMount[];
  /** The session's folders, and what covers parts of them. */
  mounts: Mount[];
  cwd: string;
  hasNetwork: boolean;
  env: Record<string, string>;
  limits: SandboxLimits;
  hardLimits: HardLimits;
  /** Whom to become first. Absent: mom is an ordinary user, and stays it. */
  user: Owner | undefined;
  tools: BwrapTools;
  /** Said on standard error when all is set up, just before the program begins. */
  greeting: string;
  /** Descriptors that mom herself was started with and does not know: nothing for programs. */
  strayFds: readonly number[];
  argv: string[];
}

/** Absolute paths on the host. */
export interface BwrapTools {
  bwrap: string;
  setpriv: string;
}

/** What is mounted by its descriptor. Real paths. */
export interface Pin {
  source: string;
  /** A folder around it that programs cannot swap. */
  below: string;
}

/** In the order in which they start each other; `options` are bwrap's, given to it through a descriptor. */
export interface BwrapCommand {
  stage: string[];
  drop: string[];
  bwrap: string;
  options: string[];
  /** To be opened in this order, from `firstPinFd` on. */
  pins: Pin[];
  /** Lines for the shell that begins inside. */
  limits: string[];
  strayFds: readonly number[];
  greeting: string;
  argv: string[];
}

/** Descriptors that the sandbox is built from; the program itself has none of them. */
export const filterFd = 3;
export const optionsFd = 4;
export const infoFd = 5;
const infoOptions = ["--info-fd", String(infoFd)];
export const firstPinFd = 6;

/** Private to the outer bubblewrap's view of the files, where nothing else is wanted of it. */
const stageDir = "/tmp";
const maxRunBytes = 1024 * 1024;

export function buildBwrapCommand(plan: BwrapPlan): BwrapCommand {
  const mounts = [...plan.system.filter((mount) => !isBuried(mount, plan.mounts)), ...plan.mounts];
  const pins = findPins(mounts);
  const bindSource = buildBinder(pins);
  const stage = plan.user === undefined ? undefined : buildStage(mounts, bindSource);
  const { tools, user } = plan;
  return {
    stage:
      stage === undefined
        ? []
        : [
            tools.bwrap,
            // Its own process namespace: it cannot signal the inner one, which is another user's, but all in it ends with it.
            "--unshare-pid",
            "--die-with-parent",
            ...infoOptions,
            ...["--dev-bind", "/", "/", "--tmpfs", stageDir],
            ...stage.options,
            "--",
          ],
    drop:
      user === undefined
        ? []
        : [tools.setpriv, `--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups", "--no-new-privs", "--"],
    bwrap: tools.bwrap,
    options: [
      ...buildWalls(plan.hasNetwork),
      ...buildBase(plan.limits),
      ...mounts.flatMap((mount) => toOptions(mount, stage?.bindStaged ?? bindSource)),
      ...buildEndings(mounts),
      "--chdir",
      plan.cwd,
      "--clearenv",
      ...Object.entries(plan.env).flatMap(([name, value]) => ["--setenv", name, value]),
    ],
    pins,
    limits: buildLimitLines(plan.limits, plan.hardLimits),
    strayFds: plan.strayFds,
    greeting: plan.greeting,
    argv: plan.argv,
  };
}

export const toArgv = (command: BwrapCommand) => [
  ...command.stage,
  ...command.drop,
  command.bwrap,
  "--seccomp",
  String(filterFd),
  "--args",
  String(optionsFd),
  // The first process of the outermost namespace is asked for: with it goes everything.
  ...(command.stage.length === 0 ? infoOptions : []),
  "--",
  ...buildBeginning(command),
  ...command.argv,
];

/** The first program inside: limits itself, lets go of what it should not have, says that it is there, becomes the program. */
export function buildBeginning({ limits, strayFds, greeting }: BwrapCommand): string[] {
  const closing = strayFds.map((fd) => `exec ${fd}>&-`);
  const script = ["set -e", ...limits, ...closing, 'echo "$0" >&2', 'exec "$@"'].join("\n");
  // Only bash can name a descriptor of two digits; by itself it would count in other units than the standard's.
  return [...(closing.length > 0 ? ["/bin/bash", "--posix"] : ["/bin/sh"]), "-c", script, greeting];
}

function buildWalls(hasNetwork: boolean): string[] {
  return [
    "--unshare-all",
    // Said again, because only then can further ones be forbidden.
    "--unshare-user",
    "--disable-userns",
    ...(hasNetwork ? ["--share-net"] : []),
    "--cap-drop",
    "ALL",
    "--new-session",
    "--die-with-parent",
    "--hostname",
    "mom",
  ];
}

function buildBase({ tmpMb }: SandboxLimits): string[] {
  const tmpBytes = String(toBytes(tmpMb));
  return [
    "--proc",
    "/proc",
    "--dev",
    "/dev",
    "--size",
    tmpBytes,
    "--tmpfs",
    "/dev/shm",
    "--remount-ro",
    "/dev",
    "--perms",
    "1777",
    "--size",
    tmpBytes,
    "--tmpfs",
    "/tmp",
    "--size",
    String(maxRunBytes),
    "--tmpfs",
    "/run",
  ];
}

/** Folders that were only there to hang others into: now nothing more can be put in them. */
function buildEndings(mounts: readonly SystemMount[]): string[] {
  const bare = mounts.filter(({ type }) => type === "bare").map(({ at }) => at);
  return [...bare, "/run", "/"].flatMap((path) => ["--remount-ro", path]);
}

/** A session that has the whole folder, or one around it, sees it as it is. */
const isBuried = (mount: SystemMount, later: readonly Mount[]) =>
  mount.type === "bare" && later.some((other) => "source" in other && isWithin(mount.at, other.at));

/** The option that mounts a source, up to the place. */
type BindSource = (option: "--bind" | "--ro-bind", source: string) => string[];

function toOptions(mount: SystemMount, bindSource: BindSource): string[] {
  switch (mount.type) {
    case "readOnly":
      return [...bindSource("--ro-bind", mount.source), mount.at];
    case "writable":
      return [...bindSource("--bind", mount.source), mount.at];
    case "link":
      return ["--symlink", mount.target, mount.at];
    case "empty":
      return ["--size", "4096", "--tmpfs", mount.at, "--remount-ro", mount.at];
    case "bare":
      return ["--size", "4096", "--tmpfs", mount.at];
    case "blocked":
      return ["--ro-bind", "/dev/null", mount.at];
  }
}

function findPins(mounts: readonly SystemMount[]): Pin[] {
  const pins = new Map<string, Pin>();
  for (const mount of mounts) {
    if (!("source" in mount) || mount.below === undefined) continue;
    pins.set(mount.source, { source: mount.source, below: mount.below });
  }
  return [...pins.values()];
}

function buildBinder(pins: readonly Pin[]): BindSource {
  const fds = new Map(pins.map(({ source }, index) => [source, firstPinFd + index]));
  return (option, source) => {
    const fd = fds.get(source);
    // bubblewrap compares what it has mounted with the descriptor, and gives up when they differ.
    return fd === undefined ? [option, source] : [`${option}-fd`, String(fd)];
  };
}

/**
 * Every source, or a folder above it that is one as well, gets a number to be found by; what is pinned has its own. What is
 * public stays where it is.
 */
function buildStage(mounts: readonly SystemMount[], bindSource: BindSource) {
  const sources = mounts.filter((mount) => "source" in mount).filter(({ isPublic }) => isPublic !== true);
  const staged: string[] = [];
  for (const { source, below } of sources.toSorted((a, b) => a.source.length - b.source.length)) {
    const isFound = below === undefined ? staged.some((folder) => isWithin(source, folder)) : staged.includes(source);
    if (!isFound) staged.push(source);
  }
  const toStaged = (path: string) => {
    const exact = staged.indexOf(path);
    const index = exact === -1 ? staged.findIndex((folder) => isWithin(path, folder)) : exact;
    const folder = staged[index];
    return folder === undefined ? path : join(`${stageDir}/${index}`, relative(folder, path));
  };
  const bindStaged: BindSource = (option, source) => [option, toStaged(source)];
  return {
    options: staged.flatMap((source, index) => [...bindSource("--bind", source), `${stageDir}/${index}`]),
    bindStaged,
  };
}
