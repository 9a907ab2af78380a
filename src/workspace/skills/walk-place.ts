/**
 * Finds the files in one place that claim to be skills. In a root folder every `.md` counts, below it a folder with a
 * SKILL.md is one skill and what lies below that is its own. Reads no skill; notes every folder and file it depends on, so
 * that the library knows when to walk again. Bounded in depth, folders and files, whatever has been put there.
 */
import type { Dirent } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { systemCode } from "../../base/errors.ts";
import type { SkillDiagnostic } from "../../contracts/workspace.ts";
import { isInside, readWorkspaceFile } from "../read-file.ts";
import { buildIgnoreRules, type IgnoreRules, ignoreFileNames, isIgnored, maxIgnoreBytes } from "./ignore-rules.ts";
import { listFolder } from "./list-folder.ts";
import type { SkillPlace } from "./places.ts";
import { stampOf } from "./watched-paths.ts";

const maxDepth = 6;
const maxFolders = 500;
const maxEntries = 1000;
const maxFiles = 300;
/** A skill's name and `.md`: what is longer is none, and cheap patterns stay cheap. */
const maxNameChars = 64 + 3;

export interface FoundFile {
  /** As it was reached, links not followed. */
  path: string;
  realPath: string;
  /** What its `name` may be: that of its folder, or of the file in a root folder; by the link's name and by the real one. */
  names: string[];
}

export interface PlaceWalk {
  files: FoundFile[];
  diagnostics: SkillDiagnostic[];
  /** Stamps of everything that the result depends on. */
  watched: Map<string, string>;
}

interface Walk extends PlaceWalk {
  place: SkillPlace;
  /** The real workspace, where the place lies in it: no link may lead out. */
  fence: string | undefined;
  /** Real folders. One that is reached twice, also through a link into its own parents, is looked at once. */
  entered: Set<string>;
  /** The limit that ended the walk. */
  cutAt?: string;
}

interface Folder {
  path: string;
  depth: number;
  /** The ignore files from the place's root down to this folder. */
  chain: readonly IgnoreRules[];
}

/** Never throws. What lies in the workspace is the agent's: links there may not lead out of it. */
export async function walkPlace(place: SkillPlace, workspaceDir: string): Promise<PlaceWalk> {
  const fence = await findFence(place, workspaceDir);
  const walk: Walk = { place, fence, files: [], diagnostics: [], watched: new Map(), entered: new Set() };
  const queue: Folder[] = [{ path: place.folder, depth: 0, chain: [] }];
  for (let next = queue.shift(); next !== undefined && walk.cutAt === undefined; next = queue.shift()) {
    if (walk.entered.size < maxFolders) queue.push(...(await enterFolder(walk, next)));
    else walk.cutAt = `${maxFolders} folders`;
  }
  if (walk.cutAt !== undefined) {
    report(walk, place.folder, "warning", `has over ${walk.cutAt}; the rest is not looked at`);
  }
  const { files, diagnostics, watched } = walk;
  return { files, diagnostics, watched };
}

async function findFence({ folder, source }: SkillPlace, workspaceDir: string): Promise<string | undefined> {
  const workspace = await realpath(workspaceDir).catch(() => workspaceDir);
  const root = await realpath(folder).catch(() => folder);
  const isBelow = isInside(folder, workspaceDir) || isInside(root, workspace);
  const isAgents = source === "channel" || source === "workspace" || isBelow;
  return isAgents ? workspace : undefined;
}

function report(walk: Walk, path: string, level: SkillDiagnostic["level"], message: string): void {
  walk.diagnostics.push({ path, level, message });
}

/** The folders to look at next. */
async function enterFolder(walk: Walk, folder: Folder): Promise<Folder[]> {
  const { path, depth } = folder;
  const real = await follow(walk, path);
  if (real === undefined || walk.entered.has(real)) return [];
  walk.entered.add(real);
  const listed = await listFolder(real, maxEntries);
  if (listed.type === "unusable") {
    report(walk, path, "error", listed.reason);
    return [];
  }
  if (listed.isCut) report(walk, path, "warning", `has more than ${maxEntries} entries; not all are looked at`);
  // Rules that a deeper file has overruled for this folder have no say inside it.
  const inherited = folder.chain.filter((rules) => depth === 0 || !isIgnored([rules], path, true));
  const chain = [...inherited, ...(await readRules(walk, path, real, listed.entries))];
  const { files, folders } = await sortEntries(walk, path, chain, listed.entries);
  if (depth > walk.place.rootLevel && files.includes("SKILL.md")) {
    await addFile(walk, join(path, "SKILL.md"));
    return [];
  }
  if (depth === walk.place.rootLevel) for (const name of files) await addFile(walk, join(path, name));
  if (depth < maxDepth) return folders.map((name) => ({ path: join(path, name), depth: depth + 1, chain }));
  if (folders.length > 0) report(walk, path, "warning", `is ${maxDepth} folders deep; deeper ones are not looked at`);
  return [];
}

/** Where the path really is; undefined when it may not be used or is not there. */
async function follow(walk: Walk, path: string): Promise<string | undefined> {
  walk.watched.set(path, await stampOf(path));
  try {
    const real = await realpath(path);
    if (walk.fence === undefined || isInside(real, walk.fence)) return real;
    report(walk, path, "error", "leads out of the workspace and is not followed; copy the skill instead of linking it");
  } catch (error) {
    const isAbsentPlace = path === walk.place.folder && systemCode(error) === "ENOENT";
    if (!isAbsentPlace) report(walk, path, "warning", `leads nowhere (${systemCode(error) ?? "unknown"})`);
  }
  return undefined;
}

async function addFile(walk: Walk, path: string): Promise<void> {
  if (walk.files.length === maxFiles) {
    walk.cutAt = `${maxFiles} skills`;
    return;
  }
  const real = await follow(walk, path);
  if (real === undefined) return;
  const toName = basename(path) === "SKILL.md" ? folderName : fileName;
  walk.files.push({ path, realPath: real, names: [...new Set([toName(path), toName(real)])] });
}

const folderName = (path: string) => basename(dirname(path));
const fileName = (path: string) => basename(path, ".md");

async function readRules(walk: Walk, path: string, real: string, entries: readonly Dirent[]): Promise<IgnoreRules[]> {
  const names = ignoreFileNames.filter((name) => entries.some((entry) => entry.name === name));
  if (names.length === 0) return [];
  const texts: string[] = [];
  for (const name of names) {
    const file = join(path, name);
    walk.watched.set(file, await stampOf(file));
    const read = await readWorkspaceFile(real, name, { maxBytes: maxIgnoreBytes, refuseLinks: true });
    if (read.type === "unusable") report(walk, file, "warning", `is not used: ${read.reason}`);
    if (read.type === "text") texts.push(read.text);
  }
  const { rules, leftOut } = buildIgnoreRules(path, texts);
  if (leftOut > 0)
    report(walk, path, "warning", `has ignore files with too many patterns or stars; ${leftOut} left out`);
  return [rules];
}

/** The names that count, without what is hidden or ignored. */
async function sortEntries(walk: Walk, path: string, chain: readonly IgnoreRules[], entries: readonly Dirent[]) {
  const kinds: { files: string[]; folders: string[] } = { files: [], folders: [] };
  for (const entry of entries) {
    const { name } = entry;
    if (name.startsWith(".") || name === "node_modules") continue;
    const inner = join(path, name);
    const isFolder = await isFolderEntry(walk, inner, entry);
    if (!isFolder && !name.endsWith(".md")) continue;
    if (name.length > maxNameChars) report(walk, inner, "warning", "has too long a name for a skill");
    else if (!isIgnored(chain, inner, isFolder)) (isFolder ? kinds.folders : kinds.files).push(name);
  }
  return kinds;
}

async function isFolderEntry(walk: Walk, path: string, entry: Dirent): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  // What it leads to may come, go or change its kind without the folder of the link knowing.
  walk.watched.set(path, await stampOf(path));
  const target = await stat(path).catch(() => undefined);
  return target?.isDirectory() ?? false;
}
