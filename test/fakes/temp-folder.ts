/** A real folder for one test, gone after it. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";

export interface TempFolder {
  /** Absolute, links followed. */
  dir: string;
  /** Writes a file, with the folders above it; the result is its absolute path. */
  put(path: string, data: string | Uint8Array): Promise<string>;
}

export async function createTempFolder(test: TestContext): Promise<TempFolder> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), "mom-test-")));
  test.after(() => rm(dir, { recursive: true, force: true }));
  return {
    dir,
    async put(path, data) {
      const absolute = join(dir, path);
      await mkdir(dirname(absolute), { recursive: true });
      await writeFile(absolute, data);
      return absolute;
    },
  };
}
