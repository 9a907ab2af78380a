/** Reading and writing on the host, on real paths that the guard has already passed. */
import { constants } from "node:fs";
import { chmod, type FileHandle, mkdir, open, readlink, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { writeFileAtomic } from "../base/atomic-file.ts";
import { errorText, systemCode, ToolError } from "../base/errors.ts";
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
    const { size, isFile } = await file.stat().then((info) => ({ size: info.size, isFile: info.isFile() }));
    if (!isFile) throw notRegular(asked);
    return range === undefined ? await file.readFile() : await readRange(file, range, size);
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

/** Replaces the file, keeping its mode; missing folders are made. */
export async function replaceFile(path: string, asked: string, data: string | Uint8Array, guard: PathGuard) {
  try {
    await mkdir(dirname(path), { recursive: true });
    // Between the first check and now a folder on the way may have become a link.
    if ((await guard.resolve(path)) !== path) throw notRegular(asked);
    const before = await stat(path).catch(() => undefined);
    if (before !== undefined && !before.isFile()) throw notRegular(asked);
    const mode = before === undefined ? undefined : before.mode & 0o777;
    await writeFileAtomic(path, data, mode === undefined ? {} : { mode });
    // The umask has a say when a file is made; it has none about a file that was there.
    if (mode !== undefined) await chmod(path, mode);
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
