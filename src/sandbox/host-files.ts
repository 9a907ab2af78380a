/** Reading and writing on the host, on real paths that the guard has already passed. */
import { constants, type Dirent } from "node:fs";
import { type FileHandle, lstat, open, readdir, readlink, unlink } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { writeFileAtomic } from "../base/atomic-file.ts";
import { errorText, systemCode, ToolError } from "../base/errors.ts";
import { ensureFolder, openFolder } from "./open-folder.ts";
import type { PathGuard } from "./path-guard.ts";

/** Reads a regular file through one handle, which is checked again: the path may have been swapped since. */
export async function readRegularFile(
  path: string,
  asked: string,
  range: { offset: number; maxBytes: number } | undefined,
  guard: PathGuard,
): Promise<Uint8Array> {
  let file: FileHandle | undefined;
  try {
    // Without NONBLOCK, opening a pipe would wait for a writer for ever.
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if (process.platform === "linux") await guard.ensureAllowed(await readlink(`/proc/self/fd/${file.fd}`), asked);
    const info = await file.stat();
    if (!info.isFile()) throw notRegular(asked);
    await guard.ensureOwnName(info, asked);
    return range === undefined ? await file.readFile() : await readRange(file, range, info.size);
  } catch (error) {
    throw toFileError(asked, error);
  } finally {
    await file?.close();
  }
}

async function readRange(file: FileHandle, range: { offset: number; maxBytes: number }, size: number) {
  const buffer = Buffer.alloc(Math.max(0, Math.min(range.maxBytes, size - range.offset)));
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, range.offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/** Replaces the file, keeping its mode and owner; missing folders are made. */
export async function replaceFile(path: string, asked: string, data: string | Uint8Array, guard: PathGuard) {
  await inFolder(ensureFolder, path, asked, guard, async (entry) => {
    const before = await lstat(entry).catch(() => undefined);
    if (before !== undefined && !before.isFile()) throw notRegular(asked);
    const owner = guard.owner && (before === undefined || before.uid === 0 ? guard.owner : before);
    await writeFileAtomic(entry, data, {
      ...(before !== undefined && { mode: before.mode & 0o777 }),
      async dress(file) {
        // The umask has a say when a file is made; it has none about one that was there.
        if (before !== undefined) await file.chmod(before.mode & 0o777);
        if (owner !== undefined) await file.chown(owner.uid, owner.gid);
      },
    });
  });
}

/** Takes a regular file away; what is a folder, a link or a device by now stays. */
export async function removeRegularFile(path: string, asked: string, guard: PathGuard): Promise<void> {
  await inFolder(openFolder, path, asked, guard, async (entry) => {
    if (!(await lstat(entry)).isFile()) throw notRegular(asked);
    await unlink(entry);
  });
}

/** Makes the folder and those above it; it may be there already. */
export async function makeFolder(path: string, asked: string, guard: PathGuard): Promise<void> {
  try {
    await (await ensureFolder(path, asked, guard)).close();
  } catch (error) {
    throw toFileError(asked, error);
  }
}

export async function listFolder(path: string, asked: string, guard: PathGuard): Promise<Dirent[]> {
  try {
    const folder = await openFolder(path, asked, guard);
    try {
      return await readdir(folder.entry("."), { withFileTypes: true });
    } finally {
      await folder.close();
    }
  } catch (error) {
    throw toFileError(asked, error);
  }
}

/** Throws when it is not there, or something else. */
export async function ensureIsFolder(path: string, asked: string, guard: PathGuard): Promise<void> {
  try {
    await (await openFolder(path, asked, guard)).close();
  } catch (error) {
    throw toFileError(asked, error);
  }
}

async function inFolder(
  open: typeof openFolder,
  path: string,
  asked: string,
  guard: PathGuard,
  work: (entry: string) => Promise<void>,
): Promise<void> {
  try {
    const folder = await open(dirname(path), asked, guard);
    try {
      await work(folder.entry(basename(path)));
    } finally {
      await folder.close();
    }
  } catch (error) {
    throw toFileError(asked, error);
  }
}

function notRegular(asked: string): ToolError {
  return new ToolError("FILE_NOT_REGULAR", `"${asked}" is not a regular file`, {
    hint: "Name a file; use ls to see what is in a folder.",
  });
}

/** System errors enter here and leave as ours, naming the path as it was asked for. */
export function toFileError(asked: string, error: unknown): ToolError {
  if (error instanceof ToolError) return error;
  const code = systemCode(error);
  if (code === "ENOENT") {
    return new ToolError("FILE_NOT_FOUND", `"${asked}" does not exist`, {
      hint: "Check with ls or find.",
      cause: error,
    });
  }
  if (code === "EISDIR" || code === "ENOTDIR" || code === "ELOOP" || code === "ENXIO" || code === "EEXIST") {
    return notRegularWithCause(asked, error);
  }
  return new ToolError("FILE_FAILED", `"${asked}" cannot be used: ${code ?? errorText(error)}`, {
    hint: "Check the file's permissions and the free space on the disk.",
    cause: error,
  });
}

function notRegularWithCause(asked: string, cause: unknown): ToolError {
  return new ToolError("FILE_NOT_REGULAR", `"${asked}" is not a regular file, or part of its path is not a folder`, {
    hint: "Name a file; use ls to see what is in a folder.",
    cause,
  });
}
