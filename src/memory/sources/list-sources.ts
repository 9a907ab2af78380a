/** Walks through the places of an agent's memory and lists the files with what tells whether they have changed. */
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { findSource } from "./find-source.ts";
import { toStamp } from "./read-source.ts";
import type { Source, SourcePlan } from "./source.ts";

export interface ListedSource extends Source {
  stamp: string;
}

export interface SourceList {
  sources: ListedSource[];
  /** Absolute: the folders that files were looked for in, as far as they are worth watching. */
  folders: string[];
  skipped: { path: string; reason: string }[];
}

export interface ListLimits {
  maxFiles: number;
  /** Entries of folders that are looked at in all. */
  maxEntries: number;
  maxDepth: number;
}

export const listLimits: ListLimits = { maxFiles: 20_000, maxEntries: 200_000, maxDepth: 16 };

/** More are looked at now and then only: the system has few watches to give. */
const mostFolders = 64;

/** Of what was left out, so many are told. */
export const mostSkipped = 100;

/** Never throws for what lies there. */
export async function listSources(plan: SourcePlan, limits: ListLimits = listLimits): Promise<SourceList> {
  const walk = createWalk(plan, limits);
  await walk.file("MEMORY.md");
  await walk.folder(plan.workspaceDir, "memory", "memory");
  if (plan.channelsRoot !== undefined) {
    const folders = plan.channelFolders ?? (await walk.channelFolders(plan.channelsRoot));
    for (const folder of folders) await walk.file(`${folder}/MEMORY.md`);
  }
  for (const { name, path } of plan.folders) await walk.folder(path, "", `extra/${name}`);
  for (const { name } of plan.transcripts) await walk.file(`sessions/${name}`);
  return { sources: walk.sources, folders: walk.folders, skipped: walk.skipped };
}

function createWalk(plan: SourcePlan, limits: ListLimits) {
  const sources: ListedSource[] = [];
  const skipped: SourceList["skipped"] = [];
  const folders: string[] = [];
  let entriesLeft = limits.maxEntries;
  let isFull = false;

  const skip = (path: string, reason: string) => {
    if (skipped.length < mostSkipped) skipped.push({ path, reason });
  };
  const file = async (path: string) => {
    const source = findSource(plan, path);
    if (!source) return;
    if (sources.length >= limits.maxFiles) {
      if (!isFull) skip(path, `it and those after it: there are more than ${limits.maxFiles} files`);
      isFull = true;
      return;
    }
    const info = await lstat(join(source.root, source.file), { bigint: true }).catch(() => undefined);
    if (info?.isFile()) sources.push({ ...source, stamp: toStamp(info) });
    else if (info) skip(path, info.isSymbolicLink() ? "it is a link" : "it is not a regular file");
  };
  const folder = async (root: string, way: string, path: string, depth = 0): Promise<void> => {
    if (entriesLeft <= 0 || isFull) return;
    if (depth > limits.maxDepth) return skip(path, `it is deeper than ${limits.maxDepth} folders`);
    const info = await lstat(join(root, way)).catch(() => undefined);
    // The root itself may be a link; below it none is followed.
    if (way !== "" && info?.isSymbolicLink()) return skip(path, "it is a link");
    if (info && folders.length < mostFolders) folders.push(join(root, way));
    const entries = await readdir(join(root, way), { withFileTypes: true }).catch(() => []);
    entriesLeft -= entries.length;
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.name.startsWith(".")) continue;
      const inner = `${path}/${entry.name}`;
      if (entry.isDirectory()) await folder(root, way === "" ? entry.name : `${way}/${entry.name}`, inner, depth + 1);
      else await file(inner);
    }
    if (entriesLeft <= 0) skip(path, `there are more than ${limits.maxEntries} files and folders`);
  };
  const channelFolders = async (root: string): Promise<string[]> => {
    const found: string[] = [];
    for (const adapter of await listFolders(join(root, "channels"))) {
      for (const chat of await listFolders(join(root, "channels", adapter))) found.push(`channels/${adapter}/${chat}`);
    }
    entriesLeft -= found.length;
    return found;
  };
  return { sources, skipped, folders, file, folder, channelFolders };
}

async function listFolders(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}
