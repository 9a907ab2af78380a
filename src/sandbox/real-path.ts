/** Paths as the disk has them: links followed, and whether one lies in another. For the guard and everything it rests on. */
import { lstat, readlink, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { systemCode, ToolError } from "../base/errors.ts";

const maxLinks = 40;

export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** Length of the longest of the folders that holds the path; the nearest one decides. -1: none does. */
export const depthOf = (path: string, folders: readonly string[]) =>
  Math.max(-1, ...folders.filter((folder) => isWithin(path, folder)).map((folder) => folder.length));

/** Of the folders that hold the path and are not it. */
export function pickOutermost(path: string, folders: readonly string[]): string | undefined {
  const around = folders.filter((folder) => folder !== path && isWithin(path, folder));
  return around.toSorted((a, b) => a.length - b.length)[0];
}

/** Follows links as far as the path exists, also a last link that points to nothing; the rest is appended as it is. */
export async function toRealPath(absolute: string, linksLeft = maxLinks): Promise<string> {
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
