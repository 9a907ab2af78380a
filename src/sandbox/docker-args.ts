/** How a container of ours is started: closed first, then opened for what the plan says. Pure; called by the pool. */
import type { DockerConfig } from "./docker-config.ts";
import type { DockerEngine } from "./docker-engine.ts";
import { idleScript } from "./docker-inside.ts";
import type { ContainerMount } from "./docker-mounts.ts";
import type { Owner } from "./path-guard.ts";

export interface ContainerShape {
  name: string;
  labels: Readonly<Record<string, string>>;
  mounts: readonly ContainerMount[];
  hasNetwork: boolean;
  /** Whom programs inside run as. */
  user: Owner;
  /** Further options of `run` that this machine's engine needs. */
  runArgs: readonly string[];
}

const openFiles = 4096;

export function buildRunArguments(
  { name, labels, mounts, hasNetwork, user, runArgs }: ContainerShape,
  config: Pick<DockerConfig, "image" | "memoryMb" | "cpus" | "pidsLimit" | "tmpMb">,
  engine: Pick<DockerEngine, "name" | "isRootless">,
): string[] {
  return [
    "run",
    "--detach",
    "--pull=never",
    `--name=${name}`,
    ...Object.entries(labels).map(([label, value]) => `--label=${label}=${value}`),
    "--hostname=mom",
    "--workdir=/",
    `--user=${user.uid}:${user.gid}`,
    ...(engine.isRootless ? ["--userns=keep-id"] : []),
    "--read-only",
    "--cap-drop=ALL",
    "--security-opt=no-new-privileges",
    ...toNetwork(hasNetwork, engine.name),
    `--memory=${config.memoryMb}m`,
    // Without swap: the limit is the limit.
    `--memory-swap=${config.memoryMb}m`,
    `--cpus=${config.cpus}`,
    `--pids-limit=${config.pidsLimit}`,
    `--ulimit=nofile=${openFiles}:${openFiles}`,
    "--ulimit=core=0:0",
    `--tmpfs=/tmp:rw,exec,nosuid,nodev,size=${config.tmpMb}m,mode=1777`,
    "--log-driver=none",
    // The first process heeds nothing else, and an engine that asks first would wait ten seconds for it.
    "--stop-signal=SIGKILL",
    ...mounts.map(toMountOption),
    ...runArgs,
    "--entrypoint=sh",
    config.image,
    "-c",
    idleScript,
  ];
}

/** Podman's own default is right for the user it runs as; docker's may have been changed to the host's network. */
function toNetwork(hasNetwork: boolean, engine: DockerEngine["name"]): string[] {
  if (!hasNetwork) return ["--network=none"];
  return engine === "docker" ? ["--network=bridge"] : [];
}

function toMountOption({ source, target, isReadOnly }: ContainerMount): string {
  return `--mount=type=bind,source=${source},destination=${target}${isReadOnly ? ",readonly" : ""}`;
}
