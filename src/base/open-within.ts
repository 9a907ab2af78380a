/**
 * Opens folders below a root that programs write in, such as a workspace. The root itself is trusted; every folder below it
 * is entered from the one above, never through a link, so nothing that is done there can land outside. Whatever mom writes,
 * makes, renames or removes in a workspace by herself goes through here.
 */
import { randomBytes } from "node:crypto";
import { lstatSync, renameSync, type Stats } from "node:fs";
import { lstat, realpath } from "node:fs/promises";
import { basename, join, sep } from "node:path";
import { StoreError, systemCode } from "./errors.ts";
import { makeFolderIn, type OpenFolder, openFolder } from "./open-folder.ts";

/** Told what stood where a file or folder of mom's should be, and its new place. Both are paths below the root as it was given. */
export type OnAside = (path: string, aside: string) => void;

/** `way`: relative to the root. Undefined: there is no such folder, or a link or something else is on the way. */
export async function openWithin(root: string, way: string): Promise<OpenFolder | undefined> {
  try {
    return await walk(root, way, (folder, name) => openFolder(folder.entry(name)));
  } catch (error) {
    if (systemCode(error) === "ENOENT" || isNoFolder(error)) return undefined;
    throw error;
  }
}

/**
 * The same, and folders that are missing are made. What is no folder is put aside first. Throws `STORE_FILE_REFUSED` when
 * something keeps getting into the way or cannot be moved, and system errors when the disk does not let it.
 */
export async function ensureWithin(root: string, way: string, onAside: OnAside): Promise<OpenFolder> {
  return walk(root, way, async (folder, name, path) => {
    for (let triesLeft = mostTries; triesLeft > 0; triesLeft--) {
      try {
        return await openFolder(folder.entry(name));
      } catch (error) {
        if (systemCode(error) === "ENOENT") await makeFolderIn(folder, name);
        else if (isNoFolder(error))
          await putAside(folder, path, { isInTheWay: (info) => !info.isDirectory(), onAside });
        else throw error;
      }
    }
    throw refused(path);
  });
}

/** Runs the work in the folder and closes it. */
export async function useFolder<T>(folder: OpenFolder, work: (folder: OpenFolder) => Promise<T>): Promise<T> {
  try {
    const result = await work(folder);
    await folder.ensureInPlace();
    return result;
  } finally {
    await folder.close();
  }
}

/**
 * Gives what has this name in the folder another one beside it, if it is still in the way. `path`: as it is told of. Nothing
 * there: nothing happens. Throws `STORE_FILE_REFUSED` when it cannot be moved.
 */
export async function putAside(
  folder: OpenFolder,
  path: string,
  { isInTheWay, onAside }: { isInTheWay(info: Stats): boolean; onAside: OnAside },
): Promise<void> {
  const name = basename(path);
  const ending = await pickEnding(folder, name);
  // In one go: somebody else who met the same obstacle may have made what belongs there meanwhile.
  const info = lstatSync(folder.entry(name), { throwIfNoEntry: false });
  if (!info || !isInTheWay(info)) return;
  try {
    renameSync(folder.entry(name), folder.entry(name + ending));
  } catch (error) {
    throw ["EACCES", "EPERM", "EBUSY", "EROFS"].includes(systemCode(error) ?? "") ? refused(path, error) : error;
  }
  onAside(path, path + ending);
}

const mostTries = 10;
/** Beyond it chance decides: programs could lay so many that counting takes long. */
const mostCounted = 20;

async function pickEnding(folder: OpenFolder, name: string): Promise<string> {
  for (let n = 1; n <= mostCounted; n++) {
    const ending = `.refused-${n}`;
    if ((await lstat(folder.entry(name + ending)).catch(() => undefined)) === undefined) return ending;
  }
  return `.refused-${randomBytes(8).toString("hex")}`;
}

async function walk(
  root: string,
  way: string,
  enter: (folder: OpenFolder, name: string, path: string) => Promise<OpenFolder>,
): Promise<OpenFolder> {
  const names = way.split(sep).filter((name) => name !== "" && name !== ".");
  if (names.includes("..")) throw refused(join(root, way));
  let folder = await openFolder(await realpath(root));
  let path = root;
  for (const name of names) {
    const outer = folder;
    path = join(path, name);
    try {
      folder = await enter(outer, name, path);
    } finally {
      await outer.close();
    }
  }
  return folder;
}

/** What opening says of a link, and of a file where a folder should be. */
export const isNoFolder = (error: unknown) => ["ENOTDIR", "ELOOP", "EMLINK"].includes(systemCode(error) ?? "");

function refused(path: string, cause?: unknown): StoreError {
  return new StoreError("STORE_FILE_REFUSED", `Something else is in the place of ${path}, so mom does not touch it`, {
    hint: "A link, a pipe or the like was put there. End the program that does it, and remove what it has put there.",
    cause,
  });
}
