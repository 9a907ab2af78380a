/**
 * Finds custom tools: folders with an index file, however deep. A folder that has one is a tool and is not looked into
 * further. Nothing that somebody else than the operator can write is taken (`find-fault.ts`).
 */
import { lstat, readdir, realpath, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { errorText, systemCode } from "../../base/errors.ts";
import { findFault, toReal } from "./find-fault.ts";

export interface FoundTool {
  /** Absolute and real. */
  folder: string;
  index: string;
  /** Changes when any file of the tool does. */
  stamp: string;
}

export interface ToolProblem {
  path: string;
  message: string;
}

const indexNames = ["index.ts", "index.mts", "index.js", "index.mjs"];
const maxDepth = 6;
const maxFiles = 2000;

/** Where custom tools are looked for, in order. */
export const customToolRoots = (dataDir: string, homeDir: string): string[] => [
  join(dataDir, "tools"),
  join(homeDir, ".pi", "mom", "tools"),
];

/** `closed`: folders that agents can write; nothing below them counts. */
export async function findTools(
  roots: readonly string[],
  closed: readonly string[],
): Promise<{ tools: FoundTool[]; problems: ToolProblem[] }> {
  const tools: FoundTool[] = [];
  const problems: ToolProblem[] = [];
  const seen = new Set<string>();
  const walls = await Promise.all(closed.map(toReal));
  const visit = async (path: string, depth: number): Promise<void> => {
    try {
      const folder = await realpath(path);
      if (seen.has(folder)) return;
      seen.add(folder);
      const fault = findFault(folder, await stat(folder), walls);
      if (fault !== undefined) {
        problems.push({ path, message: fault });
        return;
      }
      const items = await readdir(folder, { withFileTypes: true });
      const index = indexNames.find((name) => items.some((item) => item.name === name && !item.isDirectory()));
      if (index !== undefined && depth > 0) {
        const { stamp, fault: within } = await inspect(folder, walls);
        if (within === undefined) tools.push({ folder, index: join(folder, index), stamp });
        else problems.push({ path: folder, message: within });
        return;
      }
      if (depth === maxDepth) return;
      const below = items.filter((item) => isLookedInto(item.name) && (item.isDirectory() || item.isSymbolicLink()));
      for (const { name } of below.sort((a, b) => a.name.localeCompare(b.name)))
        await visit(join(folder, name), depth + 1);
    } catch (error) {
      if (isMissing(error)) return;
      problems.push({ path, message: `It cannot be read: ${errorText(error)}` });
    }
  };
  for (const root of roots) await visit(root, 0);
  return { tools, problems };
}

/** All files of a tool but its packages: their stamps, and the first that others than the operator can write. */
async function inspect(folder: string, walls: readonly string[]): Promise<{ stamp: string; fault?: string }> {
  const stamps: string[] = [];
  let fault: string | undefined;
  const look = async (path: string): Promise<void> => {
    const isLink = (await lstat(path)).isSymbolicLink();
    const real = isLink ? await realpath(path) : path;
    const info = await stat(real);
    fault ??= findFault(real, info, walls);
    if (isLink || !info.isDirectory()) {
      stamps.push(`${relative(folder, path)} ${real} ${info.ino} ${info.size} ${info.mtimeMs}`);
      if (stamps.length > maxFiles) throw new Error(`it has more than ${maxFiles} files`);
      // A linked folder could lead back here for ever; what is imported of it is looked at when it is.
      return;
    }
    for (const name of (await readdir(path)).filter(isLookedInto).sort()) {
      await look(join(path, name)).catch((error: unknown) => {
        // A link to nothing, or a file that an editor has just taken away.
        if (!isMissing(error)) throw error;
      });
    }
  };
  await look(folder);
  return { stamp: stamps.join("\n"), ...(fault !== undefined && { fault }) };
}

const isLookedInto = (name: string) => name !== "node_modules" && !name.startsWith(".");

const isMissing = (error: unknown) => ["ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "");
