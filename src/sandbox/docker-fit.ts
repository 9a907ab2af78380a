/**
 * Does a container that the operator started fit a session? It must show all of the session's folders, and nothing of
 * mom's that the session may not see. Pure; asked by `docker-attached.ts` before every program.
 */
import { join, relative } from "node:path";
import { ToolError } from "../base/errors.ts";
import { isWithin } from "./real-path.ts";

/** A folder of the host in the container. */
export interface AttachedMount {
  source: string;
  target: string;
  isReadOnly: boolean;
}

/** A scope's folders as real paths of what exists. */
export interface RealFolders {
  roots: readonly string[];
  readOnly: readonly string[];
  hidden: readonly string[];
  cwd: string;
}

/** The working folder's path inside. Throws `SANDBOX_UNAVAILABLE` when the mounts do not fit the session. */
export function mapWorkingFolder(name: string, mounts: readonly AttachedMount[], folders: RealFolders): string {
  const nearest = (path: string) =>
    mounts.filter(({ source }) => isWithin(path, source)).toSorted((a, b) => b.source.length - a.source.length)[0];
  for (const root of folders.roots) {
    const mount = nearest(root);
    if (mount === undefined || mount.isReadOnly) {
      throw unfit(`Container ${name} does not show ${root} for writing`, `Start it again with -v ${root}:${root}.`);
    }
  }
  for (const mount of mounts) ensureNoMore(name, mount, folders);
  const { cwd } = folders;
  const mount = nearest(cwd);
  if (mount === undefined) {
    throw unfit(`Container ${name} does not show ${cwd}`, `Start it again with -v ${cwd}:${cwd}:ro.`);
  }
  return join(mount.target, relative(mount.source, cwd));
}

/** Mounts that have nothing to do with mom's folders are the operator's own affair. */
function ensureNoMore(
  name: string,
  { source, isReadOnly }: AttachedMount,
  { roots, readOnly, hidden }: RealFolders,
): void {
  const closed = hidden.find((path) => isWithin(path, source) || isWithin(source, path));
  if (closed !== undefined) {
    throw unfit(`Container ${name} shows ${closed}, which is closed to this session`, narrowHint);
  }
  if (roots.some((root) => isWithin(source, root))) return;
  const isReadable = readOnly.some((folder) => isWithin(source, folder));
  if (isReadable && !isReadOnly) {
    throw unfit(`Container ${name} can write to ${source}`, `Mount it read-only: -v ${source}:${source}:ro.`);
  }
  if (!isReadable && [...roots, ...readOnly].some((folder) => isWithin(folder, source))) {
    throw unfit(`Container ${name} shows all of ${source}, more than this session may see`, narrowHint);
  }
}

const narrowHint =
  "Mount only the session's own folders, or leave sandbox.docker.container out: then mom starts containers herself.";

function unfit(message: string, hint: string): ToolError {
  return new ToolError("SANDBOX_UNAVAILABLE", message, { hint });
}
