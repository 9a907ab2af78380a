/** Replaces a file in one step: readers see the old text or the new one, never half, also after a power cut. */
import { randomBytes } from "node:crypto";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

export interface AtomicWriteOptions {
  /** The umask has a say in it. Absent: 0644. */
  mode?: number;
  /** What else belongs to the file, done before it gets its name. */
  dress?(file: FileHandle): Promise<void>;
}

export async function writeFileAtomic(
  path: string,
  data: string | Uint8Array,
  options: AtomicWriteOptions = {},
): Promise<void> {
  const temporary = `${path}.${randomBytes(4).toString("hex")}.tmp`;
  try {
    const file = await open(temporary, "wx", options.mode ?? 0o644);
    try {
      await file.writeFile(data);
      await options.dress?.(file);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Makes a rename or a new name in the folder durable. Not every platform can; it is then left to the system. */
export async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch {
    // Windows cannot open folders; there the rename itself is all one gets.
  }
}
