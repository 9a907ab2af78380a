/** Removes a folder of the store's below the workspace, whatever programs have made of it. See `remove-within`. */
import { opendir, rename } from "node:fs/promises";
import { basename } from "node:path";
import { syncFolder } from "../base/atomic-file.ts";
import { systemCode } from "../base/errors.ts";
import { useFolder } from "../base/open-within.ts";
import { openDirOf } from "./open-regular.ts";
import { newRemovedName, removedPrefix, removeWithin } from "./remove-within.ts";

/** More than that of what earlier tries have left goes with the next one. */
const mostLeft = 1000;

/**
 * Gone under its name in one step, then emptied. What a crash has left behind of earlier ones beside it goes too. Nothing
 * there, or a link on the way: nothing happens.
 */
export async function removeFolder(root: string, path: string): Promise<void> {
  const parent = await openDirOf(root, path);
  if (!parent) return;
  await useFolder(parent, async (folder) => {
    try {
      await rename(folder.entry(basename(path)), folder.entry(newRemovedName()));
      await syncFolder(folder.entry("."));
    } catch (error) {
      if (systemCode(error) !== "ENOENT") throw error;
    }
    for (const name of await listRemoved(folder.entry("."))) await removeWithin(folder, name);
  });
}

async function listRemoved(path: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of await opendir(path)) {
    if (name.startsWith(removedPrefix) && names.push(name) >= mostLeft) break;
  }
  return names;
}
