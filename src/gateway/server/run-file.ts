/** `state/gateway.json`: where a running mom listens, so that the command line finds it. */
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { writeFileAtomic } from "../../base/atomic-file.ts";

export interface RunFile {
  write(url: string): Promise<void>;
  /** Leaves alone what another process has written since. */
  remove(): Promise<void>;
}

export function createRunFile(stateDir: string): RunFile {
  const path = join(stateDir, "gateway.json");
  let written: string | undefined;
  return {
    async write(url) {
      written = `${JSON.stringify({ url, pid: process.pid })}\n`;
      await writeFileAtomic(path, written, { mode: 0o600 });
    },
    async remove() {
      const found = await readFile(path, "utf8").catch(() => undefined);
      if (written !== undefined && found === written) await rm(path, { force: true });
    },
  };
}
