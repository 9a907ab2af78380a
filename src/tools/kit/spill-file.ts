/**
 * Keeps what was too long to show, in a file that the model can read piece by piece. The files of a folder are slots used
 * in turn, so that they never take more than a bounded space.
 */
import { join } from "node:path";
import type { KeyedQueue } from "../../base/keyed-queue.ts";
import type { Operations } from "../../contracts/sandbox.ts";

const slots = 10;

export interface SpillFiles {
  /** Writes the text into the slot that was written longest ago; gives its path, relative to the working folder. */
  save(text: string): Promise<string>;
}

export function createSpillFiles(operations: Operations, folder: string, queue: KeyedQueue): SpillFiles {
  const pickSlot = async () => {
    let oldest = { path: "", modifiedAt: Number.POSITIVE_INFINITY };
    for (let n = 1; n <= slots; n++) {
      const path = join(folder, `output-${n}.log`);
      const modifiedAt = (await operations.stat(path))?.modifiedAt;
      if (modifiedAt === undefined) return path;
      if (modifiedAt < oldest.modifiedAt) oldest = { path, modifiedAt };
    }
    return oldest.path;
  };
  return {
    save: (text) =>
      queue.run(`spill:${folder}`, async () => {
        const path = await pickSlot();
        await operations.writeFile(path, text);
        return path;
      }),
  };
}
