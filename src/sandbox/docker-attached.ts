/**
 * A container that the operator started and mounted: programs of every session that it fits run in it, as the user and
 * with the limits that it has. It is asked for its mounts once and then called by its id, which a new one does not share.
 */
import { realpath } from "node:fs/promises";
import { ToolError } from "../base/errors.ts";
import type { Log } from "../contracts/log.ts";
import type { ExecutorScope } from "../contracts/sandbox.ts";
import { checkDocker } from "./docker-check.ts";
import type { DockerConfig } from "./docker-config.ts";
import { mapWorkingFolder, type RealFolders } from "./docker-fit.ts";
import { type InspectedContainer, inspectContainer } from "./docker-inspect.ts";
import type { ContainerPlace } from "./docker-place.ts";
import type { FolderFinder } from "./scope-folders.ts";

export function createAttachedPlace(
  { log, folders }: { log: Log; folders: FolderFinder },
  docker: DockerConfig,
  name: string,
): ContainerPlace {
  let known: InspectedContainer | undefined;
  const forget = async () => {
    known = undefined;
    log.error("the container does not do as it is told; what runs in it may go on", { container: name });
  };
  return {
    async enter(engine, scope, cwd) {
      const container = known ?? (await inspectContainer(engine, name));
      if (!container?.isRunning) {
        const { detail, hint = `Start container ${name} again.` } = await checkDocker(engine, docker);
        throw new ToolError("SANDBOX_UNAVAILABLE", detail, { hint });
      }
      known = container;
      const inside = mapWorkingFolder(name, container.mounts, await toRealFolders(folders, scope, cwd));
      return { lease: { name: container.id, release: () => undefined, discard: forget }, cwd: inside };
    },
    close: async () => undefined,
  };
}

async function toRealFolders(folders: FolderFinder, scope: ExecutorScope, cwd: string): Promise<RealFolders> {
  const toReal = async (paths: readonly string[]) => {
    const real = await Promise.all(paths.map((path) => realpath(path).catch(() => undefined)));
    return real.filter((path) => path !== undefined);
  };
  const { roots, readOnly } = await folders.find(scope);
  return { roots: await toReal(roots), readOnly: await toReal(readOnly), hidden: await toReal(scope.hidden), cwd };
}
