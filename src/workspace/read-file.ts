/**
 * The one way in which the host reads what lies in a workspace. The agent can write there, so a name may be a link to the
 * host's secrets, a pipe that never ends, or ten gigabytes: what is opened is checked to be a regular file inside the root,
 * and only as much is read as asked for. Bootstrap files, prompt templates and skills all come through here.
 */
import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open, readlink, realpath } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import { systemCode } from "../base/errors.ts";

export interface ReadLimits {
  /** A file of at most so many bytes is read whole; of a longer one, so many bytes in all. */
  maxBytes: number;
  /** How many of them come from its end, when it is longer. Absent: none. */
  tailBytes?: number;
  /** No part of the path below the root may be a link, not even one that stays inside. */
  refuseLinks?: true;
}

export interface WorkspaceText {
  type: "text";
  /** The whole file, or its start. Without byte order mark, line ends as `\n`. */
  text: string;
  /** The end of a file that was not read whole; else empty. */
  tail: string;
  isWhole: boolean;
  totalBytes: number;
}

export type UnusableCause = "outside" | "not-regular" | "binary" | "not-utf8" | "unreadable";

export type WorkspaceRead =
  | WorkspaceText
  | { type: "absent" }
  /** It is there and cannot be used; `reason` is a sentence about it: `it is not a regular file`. */
  | { type: "unusable"; cause: UnusableCause; reason: string };

/**
 * Reads `root`/`path`. The root is trusted and may itself be a link; of what is below it nothing is. Links are followed as
 * long as they stay inside the root. Never throws, never waits for a pipe, never reads more than the limits say.
 */
export async function readWorkspaceFile(root: string, path: string, limits: ReadLimits): Promise<WorkspaceRead> {
  let file: FileHandle | undefined;
  try {
    if (path.includes("\0") || isAbsolute(path)) return outside;
    const realRoot = await realpath(root);
    const asked = join(realRoot, path);
    const real = await realpath(asked);
    if (!isInside(real, realRoot)) return outside;
    if (limits.refuseLinks === true && real !== asked) return linked;
    // Asked before opening, because opening a device can already do something.
    if (!(await lstat(real)).isFile()) return notRegular;
    file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const info = await file.stat();
    if (!info.isFile()) return notRegular;
    if (!(await isStillAt(real, file, info))) return outside;
    return await readText(file, info, limits);
  } catch (error) {
    return toFailure(error);
  } finally {
    await file?.close().catch(() => undefined);
  }
}

/** What tells one state of a file from another; content cannot change without its change time, which nobody can set. */
export function toStamp({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${dev}:${ino}:${size}:${mtimeMs}:${ctimeMs}`;
}

const outside: WorkspaceRead = { type: "unusable", cause: "outside", reason: "it leads out of its folder" };
const linked: WorkspaceRead = { type: "unusable", cause: "outside", reason: "it is reached through a link" };
const notRegular: WorkspaceRead = { type: "unusable", cause: "not-regular", reason: "it is not a regular file" };
const binary: WorkspaceRead = { type: "unusable", cause: "binary", reason: "it is not text (it has NUL bytes)" };
const notUtf8: WorkspaceRead = { type: "unusable", cause: "not-utf8", reason: "it is not UTF-8 text" };

/** Is `path` the folder or below it? Both absolute, links already followed. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** A folder on the way may have become a link between the check and the opening: where did the handle come from? */
async function isStillAt(real: string, file: FileHandle, info: Stats): Promise<boolean> {
  if (process.platform === "linux") {
    const at = await readlink(`/proc/self/fd/${file.fd}`);
    // Linux adds this when the file was replaced by a newer one meanwhile; it was in its place when it was opened.
    return at === real || at === `${real} (deleted)`;
  }
  const now = await lstat(real);
  return (await realpath(real)) === real && now.ino === info.ino && now.dev === info.dev;
}

async function readText(file: FileHandle, info: Stats, limits: ReadLimits): Promise<WorkspaceRead> {
  const isWhole = info.size <= limits.maxBytes;
  const tailBytes = isWhole ? 0 : Math.min(limits.tailBytes ?? 0, limits.maxBytes);
  const head = await readRange(file, 0, isWhole ? info.size : limits.maxBytes - tailBytes);
  const tail = await readRange(file, info.size - tailBytes, tailBytes);
  if (head.includes(0) || tail.includes(0)) return binary;
  const text = toText(isWhole ? head : dropCutEnd(head));
  const end = toText(dropCutStart(tail));
  if (text === undefined || end === undefined) return notUtf8;
  return { type: "text", text, tail: end, isWhole, totalBytes: info.size };
}

async function readRange(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

/** Without the character at the end whose last bytes were not read. */
function dropCutEnd(bytes: Buffer): Buffer {
  let start = bytes.length - 1;
  while (start > bytes.length - 4 && isContinuation(bytes[start])) start--;
  const lead = bytes[start] ?? 0;
  const needed = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return start + needed > bytes.length ? bytes.subarray(0, start) : bytes;
}

/** Without the rest of a character whose first bytes were not read. */
function dropCutStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start++;
  return bytes.subarray(start);
}

function toText(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replaceAll("\r\n", "\n");
  } catch {
    return undefined;
  }
}

function toFailure(error: unknown): WorkspaceRead {
  const code = systemCode(error);
  if (code === "ENOENT" || code === "ENOTDIR") return { type: "absent" };
  if (code === "ELOOP") return { type: "unusable", cause: "outside", reason: "it is a link that cannot be followed" };
  return { type: "unusable", cause: "unreadable", reason: `it cannot be read (${code ?? "unknown"})` };
}
