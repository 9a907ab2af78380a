/**
 * Looks at the disk for what a session's programs may see: an allow-list of the system's folders and the session's own,
 * then what is taken away from those again. Paths are the same inside and outside. Called before every program.
 */
import { lstat, readdir, readlink, realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ExecutorScope } from "../contracts/sandbox.ts";
import type { Mount, SystemMount } from "./bwrap-args.ts";
import type { HardLinkSearch } from "./hard-links.ts";
import { workspaceName } from "./path-guard.ts";
import { depthOf, isWithin, pickOutermost, toRealPath } from "./real-path.ts";
import type { FolderFinder } from "./scope-folders.ts";

/** Where programs are found that mom brings along. */
export const programsDir = "/run/mom";

const systemFolders = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt"];
const resolverFile = "/etc/resolv.conf";

export interface SystemRequest {
  /** Real paths of what the operator lets everybody read. */
  readable: readonly string[];
  /** Absolute paths that are left out of it all, should they lie in there. */
  privateDirs: readonly string[];
  /** Real paths. */
  agentFolders: readonly string[];
}

/** What every session may read. */
export async function planSystem({ readable, privateDirs, agentFolders }: SystemRequest): Promise<SystemMount[]> {
  const planned = systemFolders.map(async (path): Promise<Mount | undefined> => {
    const info = await lstat(path).catch(() => undefined);
    if (info?.isSymbolicLink()) return { type: "link", target: await readlink(path), at: path };
    return info?.isDirectory() ? { type: "readOnly", source: path, at: path, isPublic: true } : undefined;
  });
  const system = (await Promise.all(planned)).filter((mount) => mount !== undefined);
  const folders = byDepth((await keepExisting(readable)).map(toMount("readOnly")));
  const further = folders.map((mount) => toPinned(mount, agentFolders));
  const shown = [...system, ...further];
  const within = (await toExisting(privateDirs)).filter((path) => shown.some(({ at }) => isWithin(path, at)));
  return [...shown, ...within.map((at): SystemMount => ({ type: "bare", at }))];
}

export interface MountRequest {
  scope: ExecutorScope;
  /** Absolute paths that every session may read. */
  readable: readonly string[];
  /** Real paths that are shown anyway, beside the system's own: what is hidden in them is covered. Absent: none. */
  shown?: readonly string[];
  /** Absolute path of ripgrep. */
  rg: string;
  links: HardLinkSearch;
  folders: FolderFinder;
  signal: AbortSignal;
}

export async function planMounts(request: MountRequest): Promise<Mount[]> {
  const { scope, links, shown = [], signal } = request;
  const [{ agentFolders, ...found }, hidden] = await Promise.all([
    request.folders.find({ ...scope, readOnly: [...(scope.readOnly ?? []), ...request.readable] }),
    toExisting(scope.hidden),
  ]);
  const keepOpen = async (paths: readonly string[]) =>
    (await keepExisting(paths)).filter((path) => !hidden.some((closed) => isWithin(path, closed)));
  const roots = await keepOpen(found.roots);
  const readOnly = await keepOpen(found.readOnly);
  const readOnlyInside = await keepOpen(found.readOnlyInside);
  const linked = scope.isShared ? await links.find(roots, signal) : [];
  const covers = await Promise.all([...hidden, ...linked].map(toCover));
  const pin = (mount: FolderMount) => toPinned(mount, agentFolders);
  return [
    ...planFolders({ roots, readOnly, readOnlyInside, hidden }).map(pin),
    ...(await findSealed(roots, scope)).map(toMount("readOnly")).map(pin),
    { type: "readOnly", source: request.rg, at: `${programsDir}/rg` },
    ...(scope.hasNetwork ? await planResolver() : []),
    ...(await planNames(scope, [...roots, ...readOnly])),
    ...byDepth(
      covers.filter(({ at }) => [...systemFolders, ...shown, ...roots, ...readOnly].some((dir) => isWithin(at, dir))),
    ),
  ];
}

type FolderMount = Extract<Mount, { source: string }>;

const toMount =
  (type: FolderMount["type"]) =>
  (path: string): FolderMount => ({ type, source: path, at: path });

/** What programs could swap while the sandbox is built is opened from the outermost folder that they cannot. */
function toPinned(mount: FolderMount, agentFolders: readonly string[]): FolderMount {
  const below = pickOutermost(mount.source, agentFolders);
  return below === undefined ? mount : { ...mount, below };
}

interface ShownFolders {
  roots: readonly string[];
  readOnly: readonly string[];
  readOnlyInside: readonly string[];
  hidden: readonly string[];
}

/** Outer ones first. Of folders that hold each other the nearest decides what may be written. */
function planFolders({ roots, readOnly, readOnlyInside, hidden }: ShownFolders): FolderMount[] {
  const closed = [...readOnly, ...readOnlyInside.filter((path) => roots.some((root) => isWithin(path, root)))];
  const inner = [...roots, ...[...closed, ...hidden].map((path) => dirname(path))];
  // Where nothing may be written, nothing can be renamed either.
  const isWritable = (path: string) => depthOf(path, roots) > depthOf(path, closed);
  const between = findFoldersBetween(inner, roots).filter(isWritable);
  return byDepth([...[...roots, ...between].map(toMount("writable")), ...closed.map(toMount("readOnly"))]);
}

/** So that inner ones come to lie over outer ones; of two at one place the read-only one wins. */
const byDepth = <T extends { at: string }>(mounts: T[]): T[] => mounts.toSorted((a, b) => a.at.length - b.at.length);

async function toExisting(paths: readonly string[]): Promise<string[]> {
  const real = await Promise.all(paths.map((path) => realpath(path).catch(() => undefined)));
  return [...new Set(real.filter((path) => path !== undefined))];
}

/** Of real paths; what has become a link since is no longer one. */
async function keepExisting(paths: readonly string[]): Promise<string[]> {
  const unique = [...new Set(paths)];
  const infos = await Promise.all(unique.map((path) => lstat(path).catch(() => undefined)));
  return unique.filter((_, index) => infos[index]?.isSymbolicLink() === false);
}

/** Records in these folders. A program could remove or rename a file that it cannot write; over a mount it cannot. */
async function findSealed(folders: readonly string[], { isSealed }: ExecutorScope): Promise<string[]> {
  if (isSealed === undefined) return [];
  const found = await Promise.all(
    folders.map(async (folder) => {
      const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
      return entries.filter((entry) => entry.isFile()).map((entry) => join(folder, entry.name));
    }),
  );
  return found.flat().filter((path) => isSealed(path));
}

/** Folders on the way from a root down to another: as mounts of their own they cannot be renamed under its feet. */
function findFoldersBetween(inner: readonly string[], roots: readonly string[]): string[] {
  const between = new Set<string>();
  for (const path of inner) {
    for (let folder = path; roots.some((root) => folder !== root && isWithin(folder, root)); folder = dirname(folder)) {
      if (!roots.includes(folder)) between.add(folder);
    }
  }
  return [...between];
}

async function planResolver(): Promise<Mount[]> {
  const target = await toRealPath(resolverFile).catch(() => resolverFile);
  const isThere = (await stat(target).catch(() => undefined)) !== undefined;
  // Often a link to a file that a network manager keeps in /run.
  return isThere && !isWithin(target, "/etc") ? [{ type: "readOnly", source: target, at: target }] : [];
}

/** The first root's short name, and folders' own names where those are links. */
async function planNames({ roots, readOnly = [] }: ExecutorScope, shown: readonly string[]): Promise<Mount[]> {
  const names = [...roots, ...readOnly].map((path) => [path, path]);
  if (roots[0] !== undefined) names.unshift([workspaceName, roots[0]]);
  const links = await Promise.all(
    names.map(async ([at = "", path = ""]): Promise<Mount[]> => {
      const target = await realpath(path).catch(() => "");
      const isFree = ![...systemFolders, ...shown].some((dir) => isWithin(at, dir) || isWithin(dir, at));
      return shown.includes(target) && target !== at && isFree ? [{ type: "link", target, at }] : [];
    }),
  );
  return links.flat();
}

async function toCover(at: string): Promise<Mount> {
  const info = await stat(at).catch(() => undefined);
  return { type: info?.isDirectory() ? "empty" : "blocked", at };
}
