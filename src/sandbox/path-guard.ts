/**
 * The one resolver of paths: every path a tool names comes through here before the disk is touched. Links are followed
 * first, so what is checked is where the bytes really are; everything afterwards works on that real path.
 */
import { lstat, readlink, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { systemCode, ToolError } from "../base/errors.ts";
import type { ExecutorScope } from "../contracts/sandbox.ts";

export interface PathGuard {
  /** The real path, existing or to be created. Throws `PATH_INVALID` or `PATH_REFUSED`. */
  resolve(path: string): Promise<string>;
  /** Throws `PATH_REFUSED` unless `realPath` (links already followed) may be touched; `asked` is for the message. */
  ensureAllowed(realPath: string, asked: string): Promise<void>;
  /** Real paths of what is refused inside the roots. */
  hidden(): Promise<string[]>;
}

const maxLinks = 40;

export function createPathGuard(scope: ExecutorScope): PathGuard {
  // Asked anew each time: a root or a hidden folder may be made, or replaced by a link, while mom runs.
  const hidden = () => Promise.all(scope.hidden.map((path) => toRealPath(resolve(path))));

  const ensureAllowed = async (realPath: string, asked: string) => {
    const roots = await Promise.all(scope.roots.map((path) => toRealPath(resolve(path))));
    if (!roots.some((root) => isWithin(realPath, root))) {
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
  return {
    hidden,
    ensureAllowed,
    async resolve(path) {
      if (path === "" || path.includes("\0")) {
        throw new ToolError("PATH_INVALID", `${JSON.stringify(path)} is not a path`, {
          hint: "Give a path without NUL bytes.",
        });
      }
      const real = await toRealPath(resolve(scope.cwd, path));
      await ensureAllowed(real, path);
      return real;
    },
  };
}

export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** Follows links as far as the path exists, also a last link that points to nothing; the rest is appended as it is. */
async function toRealPath(absolute: string, linksLeft = maxLinks): Promise<string> {
  try {
    return await realpath(absolute);
  } catch (error) {
    const code = systemCode(error);
    if (code !== "ENOENT" && code !== "ENOTDIR") throw toPathError(absolute, error);
  }
  const target = await readDanglingLink(absolute);
  if (target !== undefined) {
    if (linksLeft === 0) throw toPathError(absolute, undefined);
    return toRealPath(target, linksLeft - 1);
  }
  const parent = dirname(absolute);
  return parent === absolute ? absolute : join(await toRealPath(parent, linksLeft), basename(absolute));
}

async function readDanglingLink(path: string): Promise<string | undefined> {
  try {
    if (!(await lstat(path)).isSymbolicLink()) return undefined;
    return resolve(await realpath(dirname(path)), await readlink(path));
  } catch {
    return undefined;
  }
}

function toPathError(path: string, cause: unknown): ToolError {
  const code = systemCode(cause);
  return new ToolError("PATH_INVALID", `"${path}" cannot be followed to a file (${code ?? "too many links"})`, {
    hint: "Check for links that point to themselves, names that are too long, and folders mom may not enter.",
    cause,
  });
}
