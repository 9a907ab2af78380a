/**
 * Whose is a file that would become code of mom's? Whoever can write it decides what the host does: only the operator may.
 * Asked for every file of a tool when it is found, and for every module when it is imported.
 */
import { realpathSync, type Stats, statSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { dirname, sep } from "node:path";

/** `path` and `walls` with every link followed; `walls` are the folders that agents can write. */
export function findFault(path: string, info: Stats, walls: readonly string[]): string | undefined {
  if (walls.some((wall) => path === wall || path.startsWith(wall + sep))) {
    return `${path} lies in a folder that the agent can write. Move it out of there.`;
  }
  const uid = process.getuid?.();
  if (uid === undefined) return undefined;
  if (info.uid !== uid && info.uid !== 0) {
    return `${path} belongs to another user (${info.uid}). Give it to the user who runs mom: chown -R ${uid} <folder>.`;
  }
  if ((info.mode & 0o022) === 0) return undefined;
  return `${path} can be written by others. Take that right away: chmod -R go-w <folder>.`;
}

/** For a module that is about to be loaded, wherever it lies. Synchronous like the hook that asks. */
export function findModuleFault(path: string, agentFolders: readonly string[]): string | undefined {
  const real = realpathSync.native(path);
  const info = statSync(real);
  // A pipe would hold up all of mom until somebody writes into it.
  if (!info.isFile()) return `${real} is not a regular file.`;
  const walls = agentFolders.map(toRealNow);
  const folder = dirname(real);
  return findFault(real, info, walls) ?? findFault(folder, statSync(folder), walls);
}

/** What is not there has nothing in it either, so its name will do. */
export const toReal = (path: string): Promise<string> => realpath(path).catch(() => path);

function toRealNow(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
