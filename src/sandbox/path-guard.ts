/**
 * The one resolver of paths: every path a tool names comes through here before the disk is touched. Links are followed
 * first, so what is checked is where the bytes really are; everything afterwards works on that real path.
 */
import type { Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import { isAbsolute, join, relative, resolve } from "node:path";
import { ToolError } from "../base/errors.ts";
import type { ExecutorScope } from "../contracts/sandbox.ts";
import { isHardLinkInto } from "./hard-links.ts";
import { depthOf, isWithin, toRealPath } from "./real-path.ts";
import { createFolderFinder, type FolderFinder } from "./scope-folders.ts";

export interface PathGuard {
  /** The real path, existing or to be created. Throws `PATH_INVALID` or `PATH_REFUSED`. */
  resolve(path: string): Promise<string>;
  /** Throws `PATH_REFUSED` unless `realPath` (links already followed) may be touched; `asked` is for the message. */
  ensureAllowed(realPath: string, asked: string): Promise<void>;
  /** Throws `PATH_SEALED` where `realPath` may be read but not written. */
  ensureWritable(realPath: string, asked: string): Promise<void>;
  /** Throws `PATH_REFUSED` for a file whose other names may be closed to whoever asks. */
  ensureOwnName(info: Stats, asked: string): Promise<void>;
  /** Real paths of what is refused inside the roots. */
  hidden(): Promise<string[]>;
  /** Whom files and folders are given to that mom makes here. Absent: they stay hers. */
  readonly owner?: Owner;
}

/** Ids of a user and group of the host. */
export interface Owner {
  uid: number;
  gid: number;
}

export interface PathGuardOptions {
  owner?: Owner | undefined;
  /** Programs see the first root as `/workspace` too, so tools take that name as well. */
  hasWorkspaceName?: boolean;
  /** Absent: one that tells nobody what it leaves out. */
  folders?: FolderFinder;
}

/** Another name of the first root inside a sandbox, the same wherever mom runs. */
export const workspaceName = "/workspace";

export function createPathGuard(scope: ExecutorScope, options: PathGuardOptions = {}): PathGuard {
  const { folders = createFolderFinder() } = options;
  // Asked anew each time: a root or a hidden folder may be made, or replaced by a link, while mom runs.
  const hidden = () => Promise.all(scope.hidden.map((path) => toRealPath(resolve(path))));
  const toHostPath = (path: string) => (options.hasWorkspaceName ? fromWorkspaceName(path, scope) : path);

  const ensureAllowed = async (realPath: string, asked: string) => {
    const { roots, readOnly } = await folders.find(scope);
    if (![...roots, ...readOnly].some((root) => isWithin(realPath, root))) {
      throw new ToolError("PATH_REFUSED", `"${asked}" lies outside the folders that tools may use`, {
        hint: `Use a path below ${scope.cwd}.`,
      });
    }
    if ((await hidden()).some((path) => isWithin(realPath, path))) {
      throw new ToolError("PATH_REFUSED", `"${asked}" belongs to mom herself and is closed to tools`, {
        hint: "Work with other files; configuration, credentials and state are changed by the operator only.",
      });
    }
  };
  const ensureWritable = async (realPath: string, asked: string) => {
    const { roots, readOnly } = await folders.find(scope);
    if (!scope.isSealed?.(realPath) && depthOf(realPath, roots) > depthOf(realPath, readOnly)) return;
    throw new ToolError(
      "PATH_SEALED",
      `"${asked}" can only be read: it is mom's own record of what was said, or comes with her`,
      { hint: "Write to another file; scratch/ in the channel's folder is free to use." },
    );
  };
  const ensureOwnName = async (info: Stats, asked: string) => {
    if (!info.isFile() || info.nlink <= 1) return;
    if (!scope.isShared && !(await isHardLinkInto(info, await hidden()))) return;
    throw new ToolError("PATH_REFUSED", `"${asked}" has further names (hard links) that may be closed to tools`, {
      hint: "Ask the operator to replace the hard link by a copy of the file.",
    });
  };
  return {
    ...(options.owner !== undefined && { owner: options.owner }),
    hidden,
    ensureAllowed,
    ensureWritable,
    ensureOwnName,
    async resolve(path) {
      if (path === "" || path.includes("\0")) {
        throw new ToolError("PATH_INVALID", `${JSON.stringify(path)} is not a path`, {
          hint: "Give a path without NUL bytes.",
        });
      }
      const real = await toRealPath(resolve(scope.cwd, toHostPath(path)));
      await ensureAllowed(real, path);
      const info = await lstat(real).catch(() => undefined);
      if (info !== undefined) await ensureOwnName(info, path);
      return real;
    },
  };
}

function fromWorkspaceName(path: string, { roots }: ExecutorScope): string {
  const [first] = roots;
  if (first === undefined || !isAbsolute(path)) return path;
  const resolved = resolve(path);
  if (!isWithin(resolved, workspaceName)) return path;
  // A folder that is really called so keeps its name.
  if (roots.some((root) => isWithin(root, workspaceName))) return path;
  return join(first, relative(workspaceName, resolved));
}
