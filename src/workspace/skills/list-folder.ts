/** The entries of a folder in the order of their names, however many there are: at most so many are taken. */
import type { Dirent } from "node:fs";
import { opendir } from "node:fs/promises";
import { systemCode } from "../../base/errors.ts";

export type FolderListing =
  | { type: "listed"; entries: Dirent[]; isCut: boolean }
  /** `reason` completes "this folder …". */
  | { type: "unusable"; reason: string };

export async function listFolder(path: string, maxEntries: number): Promise<FolderListing> {
  const entries: Dirent[] = [];
  let isCut = false;
  try {
    for await (const entry of await opendir(path)) {
      isCut = entries.length === maxEntries;
      if (isCut) break;
      entries.push(entry);
    }
  } catch (error) {
    const code = systemCode(error) ?? "unknown";
    return { type: "unusable", reason: code === "ENOTDIR" ? "is not a folder" : `cannot be read (${code})` };
  }
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { type: "listed", entries, isCut };
}
