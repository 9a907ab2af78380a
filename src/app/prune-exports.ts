/** Removes exported conversations that were delivered long ago: they are copies, and nobody would look for them there. */
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** Never rejects: what cannot be removed now is tried again the next time. `olderThan`: milliseconds since the epoch. */
export async function pruneExports(folder: string, olderThan: number): Promise<void> {
  for (const chat of await list(folder)) {
    for (const name of await list(join(folder, chat))) {
      const path = join(folder, chat, name);
      const found = await stat(path).catch(() => undefined);
      if (found && found.mtimeMs < olderThan) await rm(path, { force: true }).catch(() => undefined);
    }
  }
}

const list = (folder: string) => readdir(folder).catch(() => []);
