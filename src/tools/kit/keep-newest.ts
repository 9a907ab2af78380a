/** Keeps the files that tools put down from filling a disk: of a folder's own ones only the newest stay. */
import { join } from "node:path";
import type { Operations } from "../../contracts/sandbox.ts";

export interface KeptFiles {
  folder: string;
  /** Is it one of those that are counted? Files of other names are let be. */
  isOwn(name: string): boolean;
  maxFiles: number;
  /** Path of the one just written, which stays in any case. */
  written: string;
}

/** Never throws: what it is called for is written already, and tidying up can wait for the next time. */
export async function keepNewest(operations: Operations, kept: KeptFiles): Promise<void> {
  try {
    const paths = await listOwn(operations, kept);
    const excess = paths.length + 1 - kept.maxFiles;
    if (excess <= 0) return;
    const ages = await Promise.all(
      paths.map(async (path) => ({ path, modifiedAt: (await operations.stat(path))?.modifiedAt ?? 0 })),
    );
    ages.sort((a, b) => a.modifiedAt - b.modifiedAt || (a.path < b.path ? -1 : 1));
    for (const { path } of ages.slice(0, excess)) await operations.removeFile(path).catch(() => undefined);
  } catch {
    // The folder may be gone, or be none any more.
  }
}

/** All but the one just written. */
async function listOwn(operations: Operations, { folder, isOwn, written }: KeptFiles): Promise<string[]> {
  const items = await operations.readdir(folder);
  const own = items.filter(({ name, type }) => type === "file" && isOwn(name));
  return own.map(({ name }) => join(folder, name)).filter((path) => path !== written);
}
