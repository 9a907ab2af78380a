/**
 * Holds a folder open while something is done in it. Programs of the sandbox may swap a folder for a link at any moment;
 * what is done through an open folder stays in the folder that was opened, wherever its name points by then. The sandbox's
 * file tools work so, and through `open-within` whatever else writes where programs can.
 */
import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readlink, realpath } from "node:fs/promises";
import { join } from "node:path";
import { StoreError, systemCode } from "./errors.ts";

export interface OpenFolder {
  /** A path to an entry of the folder, good until `close`. Links in its place are the caller's business. */
  entry(name: string): string;
  /** Where the folder lies now, links followed. */
  realPath(): Promise<string>;
  /**
   * Throws `STORE_FILE_REFUSED` when what was done through `entry` may have gone elsewhere. Cannot happen where folders can be
   * held open.
   */
  ensureInPlace(): Promise<void>;
  /** Absent where folders cannot be held open. */
  readonly handle?: FileHandle;
  close(): Promise<void>;
}

const isLinux = process.platform === "linux";
const asFolder = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Throws `ENOTDIR` for a link or anything else that is no folder. Links above it are the caller's business. */
export const openFolder = (path: string): Promise<OpenFolder> => (isLinux ? holdFolder(path) : watchFolder(path));

/** Makes a folder in an open one; it may be there already. True: it is new. */
export async function makeFolderIn(folder: OpenFolder, name: string): Promise<boolean> {
  try {
    await mkdir(folder.entry(name));
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
}

/** Is this the path of the open file, without a link on it? */
export async function isOpenAt(file: FileHandle, path: string): Promise<boolean> {
  return isLinux ? (await readlink(pathOf(file))) === path : isSameFile(file, path);
}

/** Elsewhere the path must be asked, and may have another case than the name on the disk. */
export async function isSameFile(file: FileHandle, path: string): Promise<boolean> {
  try {
    const [info, found, real] = await Promise.all([file.stat(), lstat(path), realpath(path)]);
    return found.ino === info.ino && found.dev === info.dev && real.toLowerCase() === path.toLowerCase();
  } catch {
    return false;
  }
}

const pathOf = (handle: FileHandle) => `/proc/self/fd/${handle.fd}`;

async function holdFolder(path: string): Promise<OpenFolder> {
  const handle = await open(path, asFolder);
  return {
    handle,
    entry: (name) => join(pathOf(handle), name),
    realPath: () => readlink(pathOf(handle)),
    ensureInPlace: async () => undefined,
    close: () => handle.close(),
  };
}

/** Elsewhere than on Linux an entry of an open folder cannot be named: the name is looked at before and after. */
export async function watchFolder(path: string): Promise<OpenFolder> {
  const before = await lstat(path);
  if (!before.isDirectory()) throw Object.assign(new Error(`ENOTDIR: not a folder, '${path}'`), { code: "ENOTDIR" });
  const real = await realpath(path);
  return {
    entry: (name) => join(path, name),
    realPath: () => realpath(path),
    async ensureInPlace() {
      const now = await lstat(path).catch(() => undefined);
      if (now?.ino === before.ino && now.dev === before.dev && (await realpath(path)) === real) return;
      throw new StoreError("STORE_FILE_REFUSED", `${path} was exchanged while mom worked in it`, {
        hint: "Something puts a link in its place. End the program that does, and look at where the link leads.",
      });
    },
    close: async () => undefined,
  };
}
