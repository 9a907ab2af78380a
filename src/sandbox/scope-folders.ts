/**
 * Where a scope's folders really are, for everything that trusts them: the guard of the file tools, what a sandbox shows,
 * whom files are given to. A link that the operator has laid is followed. Below a folder that programs can write, nobody
 * knows who laid it, so a folder behind such a link is none of the scope's: it could be anything on this machine.
 */
import { readlink } from "node:fs/promises";
import { join, parse, resolve, sep } from "node:path";
import { ToolError } from "../base/errors.ts";
import type { Log } from "../contracts/log.ts";
import type { ExecutorScope } from "../contracts/sandbox.ts";
import { isWithin, toRealPath } from "./real-path.ts";

/** Real paths, existing or not. */
export interface ScopeFolders {
  roots: string[];
  readOnly: string[];
  readOnlyInside: string[];
  /** What lies strictly below one of them may be another thing a moment later. */
  agentFolders: string[];
}

export interface FolderFinder {
  /** Throws `FOLDER_LINKED` when the working folder is among those that are left out. */
  find(scope: ExecutorScope): Promise<ScopeFolders>;
}

const maxTold = 1000;

/** Tells the log of every folder that it leaves out, once. */
export function createFolderFinder({ log }: { log?: Log } = {}): FolderFinder {
  const told = new Set<string>();
  const tell = (folder: string) => {
    if (told.has(folder) || told.size >= maxTold) return;
    told.add(folder);
    log?.warn("a folder is closed to tools: on the way to it is a link that a program may have laid", { folder });
  };
  return {
    async find(scope) {
      const agentFolders = Promise.all((scope.agentFolders ?? []).map(toPlace));
      const leftOut: string[] = [];
      const reachAll = async (paths: readonly string[] = []) => {
        const found = await Promise.all(paths.map((path) => reach(resolve(path), agentFolders)));
        leftOut.push(...paths.filter((_, index) => found[index] === undefined));
        return found.filter((path) => path !== undefined);
      };
      const [roots, readOnly, readOnlyInside] = await Promise.all(
        [scope.roots, scope.readOnly, scope.readOnlyInside].map(reachAll),
      );
      leftOut.forEach(tell);
      if (leftOut.some((path) => isWithin(resolve(scope.cwd), resolve(path)))) throw linkedError(scope.cwd);
      return {
        roots: roots ?? [],
        readOnly: readOnly ?? [],
        readOnlyInside: readOnlyInside ?? [],
        agentFolders: await agentFolders,
      };
    },
  };
}

/** One that cannot be followed to its end keeps its name: it may lie in another one, where anybody could have broken it. */
const toPlace = (path: string) => toRealPath(resolve(path)).catch(() => resolve(path));

/** Undefined: a link is on the way, inside one of the folders. */
async function reach(path: string, agentFolders: Promise<readonly string[]>): Promise<string | undefined> {
  const real = await toRealPath(path).catch(() => undefined);
  // No link at all on the way: nearly always so, and at once known.
  if (real === undefined || real === path) return real;
  return (await follow(path, await agentFolders)) === real ? real : undefined;
}

const maxLinks = 40;

/** Step by step, as the kernel does it. */
async function follow(path: string, agentFolders: readonly string[]): Promise<string | undefined> {
  let place = parse(path).root;
  let linksLeft = maxLinks;
  const names = path.slice(place.length).split(sep);
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    const entry = join(place, name);
    const target = name === ".." ? undefined : await readlink(entry).catch(() => undefined);
    if (target === undefined) {
      place = entry;
      continue;
    }
    const isInside = agentFolders.some((folder) => isWithin(place, folder));
    if (isInside || --linksLeft < 0) return undefined;
    const { root } = parse(target);
    if (root !== "") place = root;
    names.unshift(...target.slice(root.length).split(sep));
  }
  return place;
}

function linkedError(cwd: string): ToolError {
  return new ToolError("FOLDER_LINKED", `The working folder ${cwd} is closed: a link is on the way to it`, {
    hint: "A program may have laid the link. Remove it and put the folder back in its place, or name the folder it means in the configuration.",
  });
}
