/**
 * Says when something happened where memory lies, so that edits of people and programs are indexed before anybody asks. One
 * watch a folder, for a bounded number of them, and only a hint: a search looks by itself.
 */
import { type FSWatcher, watch as watchPath } from "node:fs";
import type { Log } from "../../contracts/log.ts";

/** Tests put faults there. */
export type WatchPath = (
  path: string,
  options: { persistent: boolean },
  onEvent: (type: string, name: string | null) => void,
) => FSWatcher;

export interface SourceWatches {
  /** Absolute. Watches these from now on and ends the others. In the workspace itself only memory's own names matter. Never throws. */
  follow(workspaceDir: string, folders: readonly string[]): void;
  close(): void;
}

const ownNames = new Set(["MEMORY.md", "memory"]);

export function createSourceWatches(
  { log, watch = watchPath }: { log: Log; watch?: WatchPath },
  onChange: () => void,
): SourceWatches {
  const watches = new Map<string, FSWatcher>();
  let isWarned = false;
  let isClosed = false;

  const drop = (path: string) => {
    watches.get(path)?.close();
    watches.delete(path);
  };
  const warn = (path: string, error: unknown) => {
    drop(path);
    if (isWarned) return;
    isWarned = true;
    log.warn("A folder of memory cannot be watched; changes are seen when somebody searches.", { path, error });
  };
  const begin = (path: string, names: ReadonlySet<string> | undefined) => {
    try {
      const watcher = watch(path, { persistent: false }, (_, name) => {
        if (names === undefined || name === null || names.has(name)) onChange();
      });
      watcher.on("error", (error) => warn(path, error));
      watches.set(path, watcher);
    } catch (error) {
      warn(path, error);
    }
  };
  return {
    follow(workspaceDir, folders) {
      if (isClosed) return;
      const wanted = new Set([workspaceDir, ...folders]);
      for (const path of watches.keys()) if (!wanted.has(path)) drop(path);
      for (const path of wanted) {
        if (!watches.has(path)) begin(path, path === workspaceDir ? ownNames : undefined);
      }
    },
    close() {
      isClosed = true;
      for (const path of [...watches.keys()]) drop(path);
    },
  };
}
