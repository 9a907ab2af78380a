/**
 * Files with several names. A path says nothing about a file's other names, so a name inside an open folder may show what
 * lies in a closed one. Asked by the path guard for a single file, and by the bwrap executor for all files that programs
 * would see.
 */
import type { Stats } from "node:fs";
import { lstat, opendir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { ToolError } from "../base/errors.ts";
import type { Clock } from "../contracts/clock.ts";

const maxEntries = 20_000;

/** Is the file also one of the hidden ones? Hidden folders are searched; one too large to search counts as holding it. */
export async function isHardLinkInto(info: Stats, hidden: readonly string[]): Promise<boolean> {
  let left = maxEntries;
  const holds = async (path: string): Promise<boolean> => {
    if (--left < 0) return true;
    const found = await lstat(path).catch(() => undefined);
    if (found === undefined) return false;
    if (!found.isDirectory()) return found.ino === info.ino && found.dev === info.dev;
    const names = await readdir(path).catch(() => []);
    for (const name of names) if (await holds(join(path, name))) return true;
    return false;
  };
  for (const path of hidden) if (await holds(path)) return true;
  return false;
}

export interface HardLinkSearch {
  /**
   * Real paths of files below the folders that have a further name outside all of them. Throws `SANDBOX_UNAVAILABLE` when
   * there is too much to look at, and what the signal says when it is aborted.
   */
  find(folders: readonly string[], signal: AbortSignal): Promise<string[]>;
}

interface FolderRecord {
  /** Changes whenever a name is added, and unlike the modification time nobody can set it. */
  changedNs: bigint;
  folders: string[];
  linked: { path: string; id: string; names: number }[];
}

const maxRemembered = 50_000;
/** Younger changes may share their time with the next one: file systems count in ticks. */
const settledMs = 1000;
const maxLinkedFiles = 1000;
/** Of one search; a folder that has not changed costs one. About a second. */
const defaultMaxLooks = 20_000;
/** Files that are looked at side by side. */
const batchSize = 64;

export interface HardLinkSearchParts {
  clock: Clock;
  maxLooks?: number;
}

/** Remembers folders that have not changed, so that asking again costs one look per folder and none per file. */
export function createHardLinkSearch({ clock, maxLooks = defaultMaxLooks }: HardLinkSearchParts): HardLinkSearch {
  const remembered = new Map<string, FolderRecord>();

  const remember = (path: string, record: FolderRecord) => {
    remembered.delete(path);
    const [oldest] = remembered.keys();
    if (remembered.size >= maxRemembered && oldest !== undefined) remembered.delete(oldest);
    remembered.set(path, record);
  };
  const readFolder = async (path: string, look: () => void): Promise<FolderRecord | undefined> => {
    look();
    const info = await lstat(path, { bigint: true }).catch(() => undefined);
    if (info === undefined || !info.isDirectory()) return undefined;
    const known = remembered.get(path);
    if (known?.changedNs === info.ctimeNs) return known;
    const record: FolderRecord = { changedNs: info.ctimeNs, folders: [], linked: [] };
    const folder = await opendir(path).catch(() => undefined);
    if (folder === undefined) return undefined;
    const files: string[] = [];
    const lookAtFiles = async () => void record.linked.push(...(await findLinked(files.splice(0))));
    for await (const entry of folder) {
      look();
      if (entry.isDirectory()) record.folders.push(join(path, entry.name));
      if (entry.isFile()) files.push(join(path, entry.name));
      if (files.length >= batchSize) await lookAtFiles();
    }
    await lookAtFiles();
    if (clock.now() - Number(info.ctimeMs) > settledMs) remember(path, record);
    return record;
  };

  return {
    async find(folders, signal) {
      const linked: FolderRecord["linked"] = [];
      let looksLeft = maxLooks;
      const look = () => {
        signal.throwIfAborted();
        if (--looksLeft < 0) throw tooMuchToSee(folders);
      };
      // A set, for one folder may lie in another; it grows while it is gone through.
      const queue = new Set(folders);
      for (const path of queue) {
        const record = await readFolder(path, look);
        for (const below of record?.folders ?? []) queue.add(below);
        linked.push(...(record?.linked ?? []));
      }
      const namesInside = new Map<string, number>();
      for (const { id } of linked) namesInside.set(id, (namesInside.get(id) ?? 0) + 1);
      const foreign = linked.filter(({ id, names }) => (namesInside.get(id) ?? 0) < names);
      if (foreign.length > maxLinkedFiles) throw tooManyLinks(foreign.length);
      return foreign.map(({ path }) => path);
    },
  };
}

async function findLinked(paths: readonly string[]): Promise<FolderRecord["linked"]> {
  const infos = await Promise.all(paths.map((path) => lstat(path).catch(() => undefined)));
  return paths.flatMap((path, index) => {
    const info = infos[index];
    return info === undefined || info.nlink <= 1 ? [] : [{ path, id: `${info.dev}:${info.ino}`, names: info.nlink }];
  });
}

/** What was looked at is remembered, so that the next search gets further. */
function tooMuchToSee(folders: readonly string[]): ToolError {
  return new ToolError(
    "SANDBOX_UNAVAILABLE",
    `There are too many files below ${folders.join(", ")} to look at at once`,
    {
      hint: "Call again, which goes on where this ended. If it does not help, remove files there.",
      retryable: true,
    },
  );
}

function tooManyLinks(count: number): ToolError {
  return new ToolError("SANDBOX_UNAVAILABLE", `${count} files here have further names (hard links) outside`, {
    hint: "Replace the hard links by copies; they cannot be hidden from programs one by one.",
  });
}
