/**
 * Looks after a running tree from outside, where single processes keep their limits but many together do not: sums its
 * memory and asks what is left of the machine's and on the disks of its folders, a few times a second. Started by the
 * runner beside every program.
 */
import type { StatsFs } from "node:fs";
import { readdir, readFile, statfs } from "node:fs/promises";
import type { Clock } from "../contracts/clock.ts";
import { toBytes } from "./limits.ts";

export interface ResourceWatch {
  /** Resolves with a sentence when the tree is over a limit; never otherwise. */
  readonly ended: Promise<string>;
  stop(): void;
}

export interface WatchLimits {
  memoryMb: number;
  minFreeDiskMb: number;
  minFreeMemoryMb: number;
  /** Real paths of folders that programs may write to. */
  folders: readonly string[];
}

const intervalMs = 250;

export function watchResources(rootPid: number, limits: WatchLimits, clock: Clock): ResourceWatch {
  let isStopped = false;
  let cancel = () => {};
  const ended = new Promise<string>((resolve) => {
    const look = async () => {
      const excess =
        (await findExcessMemory(rootPid, limits)) ?? (await findScarceMemory(limits)) ?? (await findFullDisk(limits));
      if (isStopped) return;
      if (excess === undefined) cancel = clock.after(intervalMs, look);
      else resolve(excess);
    };
    cancel = clock.after(intervalMs, look);
  });
  return {
    ended,
    stop() {
      isStopped = true;
      cancel();
    },
  };
}

async function findExcessMemory(rootPid: number, { memoryMb }: WatchLimits): Promise<string | undefined> {
  const members = await listTree(rootPid);
  const sizes = await Promise.all(members.map(readMemoryBytes));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  return total > toBytes(memoryMb) ? `It took more than ${memoryMb} MB of memory and was ended` : undefined;
}

/** What the kernel holds for programs, such as data in sockets and pipes, is in no process's sum. */
async function findScarceMemory({ minFreeMemoryMb }: WatchLimits): Promise<string | undefined> {
  const text = await readFile("/proc/meminfo", "utf8").catch(() => "");
  const kilobytes = /^MemAvailable:\s+(\d+) kB/m.exec(text)?.[1];
  if (kilobytes === undefined || Number(kilobytes) * 1024 >= toBytes(minFreeMemoryMb)) return undefined;
  return `Less than ${minFreeMemoryMb} MB of memory is free on this machine, so it was ended`;
}

async function findFullDisk({ folders, minFreeDiskMb }: WatchLimits): Promise<string | undefined> {
  for (const folder of folders) {
    const disk = await statfs(folder).catch(() => undefined);
    const lack = disk && findLack(disk, minFreeDiskMb);
    if (lack !== undefined) return `Less than ${lack} are free on the disk of ${folder}, so it was ended`;
  }
  return undefined;
}

const minFreeFiles = 10_000;
/** A disk that is made for few files shall be of use too. */
const minFreeShare = 0.01;

/** `files`: how many the disk can have, 0 where nobody counts them; `ffree`: how many more. */
export function findLack(
  { bavail, bsize, files, ffree }: Pick<StatsFs, "bavail" | "bsize" | "files" | "ffree">,
  minFreeDiskMb: number,
): string | undefined {
  if (bavail * bsize < toBytes(minFreeDiskMb)) return `${minFreeDiskMb} MB`;
  const least = Math.min(minFreeFiles, Math.ceil(files * minFreeShare));
  return ffree < least ? `${least} files` : undefined;
}

/** The process and all that descend from it. A sandbox has a process namespace of its own, so none can leave this tree. */
async function listTree(rootPid: number): Promise<number[]> {
  const names = await readdir("/proc").catch(() => []);
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = await Promise.all(pids.map(readParentPid));
  const children = new Map<number, number[]>();
  for (const [index, pid] of pids.entries()) {
    const parent = parents[index] ?? 0;
    children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const tree = [rootPid];
  for (const pid of tree) tree.push(...(children.get(pid) ?? []));
  return tree;
}

async function readParentPid(pid: number): Promise<number> {
  const line = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return Number(line.slice(line.lastIndexOf(")") + 2).split(" ")[1] ?? 0);
}

/** What the process holds by itself: its files in the page cache, such as shared libraries, cost nobody anything. */
async function readMemoryBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0);
  return (kilobytes("RssAnon") + kilobytes("RssShmem")) * 1024;
}
