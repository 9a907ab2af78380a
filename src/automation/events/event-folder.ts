/**
 * The folder that event files lie in. Agents write there, so nothing in it is trusted: it is entered without following a link,
 * only regular files are read and only so much of them, and what is moved or removed is what was looked at.
 */
import { createHash, randomBytes } from "node:crypto";
import { constants, lstatSync, renameSync, type Stats, unlinkSync } from "node:fs";
import { type FileHandle, lstat, open, opendir } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../../base/errors.ts";
import type { OpenFolder } from "../../base/open-folder.ts";
import { ensureWithin, isNoFolder, type OnAside, openWithin, useFolder } from "../../base/open-within.ts";
import { maxEventBytes } from "./parse-event.ts";

/** Where a folder of events lies. `workspaceDir` is trusted; nothing below it is. */
export interface EventPlace {
  /** Absolute. */
  workspaceDir: string;
  /** Relative to the workspace: `events`. */
  folder: string;
}

/** What has a name in the folder. `hash` says whether it is still the same; `stamp` does so without reading it. */
export type FoundFile = { stamp: string; hash: string; changedAtMs: number } & (
  | { type: "bytes"; bytes: Uint8Array }
  | { type: "fault"; reason: string }
);

/** Names that are looked at; a folder with more is not listed to its end. */
const mostListed = 10_000;
const failedName = "failed";
const isTransient = (error: unknown) =>
  ["EIO", "EMFILE", "ENFILE", "ENOMEM", "EAGAIN"].includes(systemCode(error) ?? "");

/** Undefined: there is no such folder, or something else is in its place. */
export const openEvents = ({ workspaceDir, folder }: EventPlace): Promise<OpenFolder | undefined> =>
  openWithin(workspaceDir, folder);

/** Sorted. `isWhole`: there are no others. */
export async function listEventNames(folder: OpenFolder): Promise<{ names: string[]; isWhole: boolean }> {
  const names: string[] = [];
  let listed = 0;
  for await (const { name } of await opendir(folder.entry("."))) {
    if (++listed > mostListed) return { names: names.sort(), isWhole: false };
    // Editors keep what is not finished under names with a dot in front.
    if (name.endsWith(".json") && !name.startsWith(".")) names.push(name);
  }
  return { names: names.sort(), isWhole: true };
}

/** Undefined: nothing has that name. System errors that may pass are thrown. */
export async function stampOf(folder: OpenFolder, name: string): Promise<string | undefined> {
  const info = await lstat(folder.entry(name)).catch(orIfAbsent);
  return info && toStamp(info);
}

/** Undefined: nothing has that name. */
export async function readEventFile(folder: OpenFolder, name: string): Promise<FoundFile | undefined> {
  let file: FileHandle | undefined;
  try {
    const info = await lstat(folder.entry(name));
    // Asked before opening, because opening a device can already do something.
    if (!info.isFile()) return toFault(info, describeKind(info));
    file = await open(folder.entry(name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    return await readOpen(file);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    if (isTransient(error)) throw error;
    const info = await lstat(folder.entry(name)).catch(orIfAbsent);
    if (!info) return undefined;
    const reason = isNoFolder(error) ? describeKind(info) : `It cannot be read (${systemCode(error) ?? "unknown"}).`;
    return toFault(info, reason);
  } finally {
    await file?.close();
  }
}

async function readOpen(file: FileHandle): Promise<FoundFile> {
  const info = await file.stat();
  if (!info.isFile()) return toFault(info, describeKind(info));
  if (info.size > maxEventBytes) return toFault(info, tooLarge);
  const buffer = Buffer.alloc(maxEventBytes + 1);
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  if (filled > maxEventBytes) return toFault(info, tooLarge);
  const bytes = buffer.subarray(0, filled);
  const hash = createHash("sha256").update(bytes).digest("hex");
  return { type: "bytes", bytes, hash, stamp: toStamp(info), changedAtMs: info.ctimeMs };
}

/** Removes the file if it is still the one that was looked at. False: it is another one, or gone. */
export function removeEventFile(folder: OpenFolder, name: string, stamp: string): boolean {
  // In one go, so that a file written meanwhile is not taken for the old one.
  const info = lstatSync(folder.entry(name), { throwIfNoEntry: false });
  if (!info || toStamp(info) !== stamp) return false;
  unlinkSync(folder.entry(name));
  return true;
}

/** Puts it into `failed/` with the reason beside it, if it is still the one that was looked at; nothing there is overwritten. */
export async function failEventFile(
  place: EventPlace,
  name: string,
  { stamp, reason, onAside }: { stamp: string; reason: string; onAside: OnAside },
): Promise<boolean> {
  const folder = await openEvents(place);
  if (!folder) return false;
  return useFolder(folder, async () => {
    const failed = await ensureWithin(place.workspaceDir, join(place.folder, failedName), onAside);
    return useFolder(failed, async () => {
      if ((await stampOf(folder, name)) !== stamp) return false;
      const kept = await pickFailedName(failed, name);
      // First the reason: a file in there always has one.
      await writeReason(failed, `${kept}.reason.txt`, reason);
      const info = lstatSync(folder.entry(name), { throwIfNoEntry: false });
      if (!info || toStamp(info) !== stamp) return false;
      renameSync(folder.entry(name), failed.entry(kept));
      return true;
    });
  });
}

/** How many entries with a reason lie in `failed/`; counting ends at `limit`. */
export async function countFailed({ workspaceDir, folder }: EventPlace, limit: number): Promise<number> {
  const failed = await openWithin(workspaceDir, join(folder, failedName));
  if (!failed) return 0;
  return useFolder(failed, async () => {
    let count = 0;
    for await (const { name } of await opendir(failed.entry("."))) {
      if (name.endsWith(".reason.txt") && ++count >= limit) break;
    }
    return count;
  });
}

async function writeReason(folder: OpenFolder, name: string, reason: string): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const file = await open(folder.entry(name), flags, 0o644);
  try {
    await file.writeFile(`${reason}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

const mostCounted = 20;
/** Names that the file system takes have at most 255 bytes, the ending of the reason included. */
const longestStem = 150;

async function pickFailedName(folder: OpenFolder, name: string): Promise<string> {
  let stem = name.slice(0, -".json".length);
  while (Buffer.byteLength(stem) > longestStem) stem = stem.slice(0, -1);
  for (let n = 1; n <= mostCounted; n++) {
    const candidate = n === 1 ? `${stem}.json` : `${stem}.${n}.json`;
    const taken = await Promise.all([stampOf(folder, candidate), stampOf(folder, `${candidate}.reason.txt`)]);
    if (taken.every((stamp) => stamp === undefined)) return candidate;
  }
  return `${stem}.${randomBytes(8).toString("hex")}.json`;
}

const tooLarge = `It has more than ${maxEventBytes / 1024} KB. Put long text into a file of its own and name that file in the event.`;

function describeKind(info: Stats): string {
  const kind = info.isSymbolicLink() ? "a link" : info.isDirectory() ? "a folder" : "a pipe, socket or device";
  return `It is ${kind}, not a regular file. Write the event itself into the folder.`;
}

function toFault(info: Stats, reason: string): FoundFile {
  const stamp = toStamp(info);
  return { type: "fault", reason, stamp, hash: `stamp:${stamp}`, changedAtMs: info.ctimeMs };
}

/** Content cannot change without its change time, which nobody can set. */
const toStamp = ({ dev, ino, size, mtimeMs, ctimeMs }: Stats) => `${dev}:${ino}:${size}:${mtimeMs}:${ctimeMs}`;

function orIfAbsent(error: unknown): undefined {
  if (systemCode(error) !== "ENOENT") throw error;
}
