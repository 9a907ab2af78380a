/** The workspace of a new data directory, or of one more agent: a folder that explains itself. What is there is never touched. */
import { randomBytes } from "node:crypto";
import { mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { StoreError, systemCode } from "../base/errors.ts";
import { firstFiles } from "./first-files.ts";

/**
 * Makes a workspace that does not exist yet, with the folders above it; one that does is left as it is, also what was
 * removed from it. It is filled beside its place and moved there, so that a crash leaves none half filled. Throws
 * `STORE_NOT_WRITABLE`.
 */
export async function ensureWorkspace(workspaceDir: string): Promise<void> {
  const staging = `${workspaceDir}.${randomBytes(4).toString("hex")}.new`;
  try {
    if (await isFolder(workspaceDir)) return;
    await mkdir(dirname(workspaceDir), { recursive: true, mode: 0o700 });
    await mkdir(staging, { mode: 0o700 });
    for (const [name, text] of Object.entries(firstFiles)) await writeFile(join(staging, name), text);
    await rename(staging, workspaceDir);
  } catch (error) {
    await rm(staging, { recursive: true, force: true }).catch(() => undefined);
    // Somebody else was quicker.
    if (await isFolder(workspaceDir).catch(() => false)) return;
    const code = systemCode(error) ?? "unknown";
    throw new StoreError("STORE_NOT_WRITABLE", `${workspaceDir} cannot be written (${code})`, {
      hint: "Give the user that runs mom write access to the data directory, or choose another with --data.",
      cause: error,
    });
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (systemCode(error) === "ENOENT") return false;
    throw error;
  }
}
