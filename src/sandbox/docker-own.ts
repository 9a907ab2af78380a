/** Containers that mom starts herself: what a scope may see is planned anew for every program, and finds its container. */
import { chmod, mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ToolError } from "../base/errors.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";
import type { Programs } from "./catalog.ts";
import type { SandboxConfig } from "./config.ts";
import { buildRunArguments } from "./docker-args.ts";
import { checkDocker } from "./docker-check.ts";
import { createContainers } from "./docker-containers.ts";
import { planContainer } from "./docker-mounts.ts";
import type { ContainerPlace } from "./docker-place.ts";
import { createHardLinkSearch } from "./hard-links.ts";
import type { SandboxUser } from "./sandbox-user.ts";
import type { FolderFinder } from "./scope-folders.ts";

/** The image is there and the engine answers, and yet: most often its own limits do not suit the machine. */
const startHint =
  "Start a container of the image by hand; if it names a limit (nproc, nofile), lower default_ulimits in the engine's containers.conf.";

export interface OwnPlaceDependencies {
  clock: Clock;
  log: Log;
  programs: Programs;
  instance: string;
  user: SandboxUser;
  folders: FolderFinder;
  runArgs: readonly string[];
}

export function createOwnPlace(
  { clock, log, programs, instance, user, folders, runArgs }: OwnPlaceDependencies,
  { docker, readable }: Pick<SandboxConfig, "docker" | "readable">,
): ContainerPlace {
  const links = createHardLinkSearch({ clock });
  const emptyFolder = createEmptyFolder();
  const containers = createContainers({
    clock,
    log,
    instance,
    buildRunArguments: (name, labels, plan, engine) =>
      buildRunArguments({ name, labels, ...plan, user: user.owner ?? findOwnUser(), runArgs }, docker, engine),
    async toError({ stderr }, engine) {
      const { ok, detail, hint = startHint } = await checkDocker(engine, docker);
      const message = ok ? `${engine.title} cannot start a container: ${stderr}` : detail;
      return new ToolError("SANDBOX_UNAVAILABLE", message, { hint });
    },
  });
  return {
    async enter(engine, scope, cwd, signal) {
      await user.ensureOwner(scope);
      const request = { scope, readable, rg: programs.rg, links, folders, signal };
      const plan = await planContainer(request, await emptyFolder.ensure());
      return { lease: await containers.lease(engine, plan), cwd };
    },
    async close() {
      await containers.close();
      await emptyFolder.remove();
    },
  };
}

/** Lies over folders that are hidden. Made again when a cleaner of old files has taken it. */
function createEmptyFolder() {
  let made: Promise<string> | undefined;
  const make = async () => realpath(await mkdtemp(join(tmpdir(), "mom-empty-")));
  return {
    async ensure(): Promise<string> {
      made ??= make();
      const path = await made;
      await mkdir(path, { recursive: true });
      await chmod(path, 0o555);
      return path;
    },
    async remove() {
      if (made !== undefined) await rm(await made, { recursive: true, force: true });
    },
  };
}

const findOwnUser = () => ({ uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 });
