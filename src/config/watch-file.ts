/** Says when a file may have changed: written in place, replaced, removed or made again. Bursts come as one call. */
import { watch } from "chokidar";
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";

export interface FileWatch {
  /** No call comes after it resolves. */
  close(): Promise<void>;
}

/** Resolves when changes are seen from now on. `onChange` is called `quietMs` after the last of a burst; it must not throw. */
export async function createFileWatch(
  { clock, log }: { clock: Clock; log: Log },
  { path, quietMs, onChange }: { path: string; quietMs: number; onChange: () => void },
): Promise<FileWatch> {
  const watcher = watch(path, { ignoreInitial: true });
  let cancel = () => {};
  watcher.on("all", () => {
    cancel();
    cancel = clock.after(quietMs, onChange);
  });
  watcher.on("error", (error) => {
    log.warn("The config file cannot be watched; edits are taken over at the next start.", { path, error });
  });
  await new Promise<void>((resolve) => watcher.once("ready", resolve));
  return {
    async close() {
      await watcher.close();
      cancel();
    },
  };
}
