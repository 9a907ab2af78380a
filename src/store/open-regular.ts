/**
 * Opens files in the channel folders. Tools can write there too, so a name may be a link to the host's secrets, a pipe that
 * never ends or a device, and so may every folder on the way: only a plain file that really
 * lies below the root is opened. What else stands in its place is put aside before something is written. `jsonl-files`,
 * `life-files` and `migrate-slack-logs` come through here.
 */
import { constants, type Stats } from "node:fs";
import { type FileHandle, open, realpath, rm } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { StoreError, systemCode } from "../base/errors.ts";
import { isOpenAt, type OpenFolder } from "../base/open-folder.ts";
import { ensureWithin, isNoFolder, type OnAside, openWithin, putAside } from "../base/open-within.ts";

/** Where the files lie, and who is told of what was put aside. Paths are absolute, below the root. */
export interface Grounds {
  root: string;
  onAside: OnAside;
}

/** A file that is open for as long as it stays where it is. */
export interface HeldFile {
  handle: FileHandle;
  /** False when somebody has moved or deleted it, or exchanged a folder on the way: it takes our lines nowhere. */
  isInPlace(): Promise<boolean>;
}

const careful = constants.O_NOFOLLOW | constants.O_NONBLOCK;
const toAppend = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | careful;
const toCreate = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | careful;
const mostTries = 10;

/** Undefined when there is none, or something that is no plain file below the root: it holds nothing of ours. */
export async function openToRead(root: string, path: string): Promise<FileHandle | undefined> {
  const realPath = await toRealPath(root, path).catch(orIfAbsent);
  if (realPath === undefined) return undefined;
  // Opening changes nothing, wherever a link on the way leads; what was opened says where it lies.
  const file = await openPlain(realPath, constants.O_RDONLY | careful).catch(orIfAbsent);
  if (file === undefined || (await isOpenAt(file, realPath))) return file;
  await file.close();
  return undefined;
}

/** Folder and file are made if missing. Throws `STORE_FILE_REFUSED` when something keeps getting into the way. */
export async function openToAppend(grounds: Grounds, path: string): Promise<HeldFile> {
  const realPath = await toRealPath(grounds.root, path);
  for (let triesLeft = mostTries; triesLeft > 0; triesLeft--) {
    const handle = await openOrPutAside(grounds, path).catch(orIfAbsent);
    if (handle === undefined) continue;
    if (await isOpenAt(handle, realPath)) return { handle, isInPlace: () => isOpenAt(handle, realPath) };
    // A folder was moved away while it was being entered. One that was deleted meanwhile is absent above.
    await handle.close();
  }
  throw new StoreError("STORE_FILE_REFUSED", `${path} is not a plain file in the workspace, so mom does not touch it`, {
    hint: "Something puts a link, a pipe or a folder in its place. End the program that does, and remove it.",
  });
}

async function openOrPutAside(grounds: Grounds, path: string): Promise<FileHandle | undefined> {
  const folder = await ensureDirOf(grounds, path);
  try {
    const file = await openPlain(folder.entry(basename(path)), toAppend);
    if (file === undefined) await putObstacleAside(folder, path, grounds.onAside);
    return file;
  } finally {
    await folder.close();
  }
}

/** A new file in an open folder, which others may read; there must be none of that name. */
export const createFile = (folder: OpenFolder, name: string): Promise<FileHandle> =>
  open(folder.entry(name), toCreate, 0o644);

/** The folder that the path is in; undefined when there is none to be entered. */
export const openDirOf = (root: string, path: string) => openDir(root, dirname(path));
export const openDir = (root: string, dir: string) => openWithin(root, relative(root, dir));

/** The same, made if missing. */
export const ensureDirOf = ({ root, onAside }: Grounds, path: string) =>
  ensureWithin(root, relative(root, dirname(path)), onAside);

/** What has the name goes: a file or link for good, a folder under another name, for it may hold something. */
export async function clearName(folder: OpenFolder, path: string, onAside: OnAside): Promise<void> {
  await putAside(folder, path, { isInTheWay: (info) => info.isDirectory(), onAside });
  await rm(folder.entry(basename(path)), { force: true });
}

/** What has the name stays if it is a plain file, for that can be replaced; anything else gets another name. */
export const putObstacleAside = (folder: OpenFolder, path: string, onAside: OnAside): Promise<void> =>
  putAside(folder, path, { isInTheWay: (info) => !isPlain(info), onAside });

/**
 * Further names (hard links) are no obstacle: backups make them, and a program in the sandbox can give names only to what
 * its own folders hold.
 */
const isPlain = (info: Stats) => info.isFile();

/** Undefined: something else has the name. */
async function openPlain(path: string, flags: number): Promise<FileHandle | undefined> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, flags, 0o644);
    if (isPlain(await file.stat())) return file;
  } catch (error) {
    // A link, a folder, a pipe without a reader, a socket.
    if (!isNoFolder(error) && !["EISDIR", "ENXIO"].includes(systemCode(error) ?? "")) throw error;
  }
  await file?.close();
  return undefined;
}

/** The root may be reached through links, nothing below it. */
const toRealPath = async (root: string, path: string) => join(await realpath(root), relative(root, path));

function orIfAbsent(error: unknown): undefined {
  if (systemCode(error) !== "ENOENT") throw error;
}
