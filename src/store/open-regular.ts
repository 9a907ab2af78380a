/**
 * Opens files in the channel folders. Tools can write there too, so a name may be a link to the host's secrets, a pipe that
 * never ends or a device: only a regular file that really lies below the root is opened. `jsonl-files` and `life-files`
 * come through here.
 */
import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readlink, realpath, rename } from "node:fs/promises";
import { dirname, isAbsolute, relative, sep } from "node:path";
import { StoreError, systemCode } from "../base/errors.ts";

const careful = constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Undefined when there is none. Throws `STORE_FILE_REFUSED` for what is no regular file below the root. */
export async function openToRead(root: string, path: string): Promise<FileHandle | undefined> {
  try {
    return await openRegular(root, path, constants.O_RDONLY | careful);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Folder and file are made if missing. */
export async function openToAppend(root: string, path: string): Promise<FileHandle> {
  await makeFolder(root, dirname(path));
  return openRegular(root, path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | careful);
}

/** A new file; there must be none of that name. */
export async function openToCreate(root: string, path: string): Promise<FileHandle> {
  await makeFolder(root, dirname(path));
  return openRegular(root, path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | careful);
}

/** Does a link, a pipe, a folder or a device stand where a file of ours should be? */
export async function isObstacle(root: string, path: string): Promise<boolean> {
  const [realRoot, folder, found] = await Promise.all([
    realpath(root).catch(() => undefined),
    realpath(dirname(path)).catch(() => undefined),
    lstat(path).catch(() => undefined),
  ]);
  if (realRoot === undefined || folder === undefined || found === undefined) return false;
  return isInside(folder, realRoot) && !found.isFile();
}

/** Puts such a thing beside under another name, which is returned. Undefined: there is none. */
export async function setAside(root: string, path: string): Promise<string | undefined> {
  if (!(await isObstacle(root, path))) return undefined;
  for (let n = 1; ; n++) {
    const aside = `${path}.refused-${n}`;
    if ((await lstat(aside).catch(() => undefined)) !== undefined) continue;
    await rename(path, aside);
    return aside;
  }
}

/** Makes the folder and those above it, unless one of them leads out of the root. */
export async function makeFolder(root: string, folder: string): Promise<void> {
  // What exists of the way is looked at before anything is made at its end.
  for (let existing = folder; ; existing = dirname(existing)) {
    const real = await realpath(existing).catch(() => undefined);
    if (real === undefined && existing !== dirname(existing)) continue;
    if (real === undefined || !isInside(real, await realpath(root))) throw refused(folder, undefined);
    break;
  }
  await mkdir(folder, { recursive: true });
}

/** A link, a folder, a socket, a pipe without a reader; a file where a folder should be. */
const refusals = ["ELOOP", "EMLINK", "EISDIR", "ENXIO", "ENOTDIR"];

async function openRegular(root: string, path: string, flags: number): Promise<FileHandle> {
  let file: FileHandle | undefined;
  try {
    const realRoot = await realpath(root);
    if (!isInside(await realpath(dirname(path)), realRoot)) throw refused(path, undefined);
    file = await open(path, flags);
    if (!(await file.stat()).isFile()) throw refused(path, undefined);
    // A folder on the way may have become a link since it was looked at.
    const isStillInside =
      process.platform !== "linux" || isInside(await readlink(`/proc/self/fd/${file.fd}`), realRoot);
    if (!isStillInside) throw refused(path, undefined);
    return file;
  } catch (error) {
    await file?.close();
    throw refusals.includes(systemCode(error) ?? "") ? refused(path, error) : error;
  }
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function refused(path: string, cause: unknown): StoreError {
  return new StoreError(
    "STORE_FILE_REFUSED",
    `${path} is not a plain file in the workspace, so mom does not touch it`,
    {
      hint: "Something has put a link, a pipe or a folder in its place. Remove it; mom begins the file again.",
      cause,
    },
  );
}
