/** Opens folders for the file tools: what was opened is held to the guard's rules, wherever its name points by then. */
import { basename, dirname } from "node:path";
import { systemCode } from "../base/errors.ts";
import { makeFolderIn, type OpenFolder, openFolder as openUnguarded } from "../base/open-folder.ts";
import type { PathGuard } from "./path-guard.ts";

/** `realPath` has passed the guard; what was opened is checked again. */
export async function openFolder(realPath: string, asked: string, guard: PathGuard): Promise<OpenFolder> {
  const folder = await openUnguarded(realPath);
  try {
    await guard.ensureAllowed(await folder.realPath(), asked);
    return folder;
  } catch (error) {
    await folder.close();
    throw error;
  }
}

/** The same for a folder that may have to be made, with those above it. New ones are given to the guard's owner. */
export async function ensureFolder(realPath: string, asked: string, guard: PathGuard): Promise<OpenFolder> {
  try {
    return await openFolder(realPath, asked, guard);
  } catch (error) {
    if (systemCode(error) !== "ENOENT" || dirname(realPath) === realPath) throw error;
  }
  // One at a time and each through the one above it: a path as a whole could be led elsewhere half-way.
  const parent = await ensureFolder(dirname(realPath), asked, guard);
  try {
    const isNew = await makeFolderIn(parent, basename(realPath));
    const folder = await openUnguarded(parent.entry(basename(realPath)));
    if (isNew && guard.owner !== undefined) await folder.handle?.chown(guard.owner.uid, guard.owner.gid);
    return folder;
  } finally {
    await parent.close();
  }
}
