/**
 * Says when something happened in a folder of events. One watch per folder, and none per file (so not chokidar, which has one for each):
 * on the folder itself, or on the one above it while it is not there. Only a hint to look: whoever follows it looks now and then anyway.
 */
import { type FSWatcher, watch as watchPath } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { Log } from "../../contracts/log.ts";

export interface FolderWatches {
  /** Watches the folder as it is now; called again with every look. Never throws. False: there is no such folder. */
  follow(label: string, path: string): Promise<boolean>;
  /** There was no such folder, and it will be told when there is. */
  isAwaited(label: string): boolean;
  /** Ends the watches of all others. */
  keepOnly(labels: ReadonlySet<string>): void;
  close(): void;
}

interface Watched {
  key: string;
  /** The folder itself is not there: the one above it is watched. */
  isAbove: boolean;
  watcher: FSWatcher;
}

/** The system has few of them to give. Folders beyond are looked at now and then. */
const mostWatches = 500;

/** Tests put faults there. */
export type WatchPath = (
  path: string,
  options: { persistent: boolean },
  onEvent: (type: string, name: string | null) => void,
) => FSWatcher;

export function createFolderWatches(
  { log, watch = watchPath }: { log: Log; watch?: WatchPath | undefined },
  onChange: (label: string) => void,
): FolderWatches {
  const watches = new Map<string, Watched>();
  let isWarned = false;

  const drop = (label: string) => {
    watches.get(label)?.watcher.close();
    watches.delete(label);
  };
  const warn = (path: string, error: unknown) => {
    if (isWarned) return;
    isWarned = true;
    log.warn("A folder of events cannot be watched; it is looked at every minute", { path, error });
  };
  const begin = (label: string, { key, path, name }: { key: string; path: string; name: string | undefined }) => {
    const onEvent = (_: string, changed: string | null) => {
      if (name === undefined || changed === null || changed === name) onChange(label);
    };
    try {
      const watcher = watch(path, { persistent: false }, onEvent);
      const watched = { key, isAbove: name !== undefined, watcher };
      watches.set(label, watched);
      watcher.on("error", (error) => {
        warn(path, error);
        if (watches.get(label) === watched) drop(label);
      });
    } catch (error) {
      warn(path, error);
    }
  };
  return {
    async follow(label, path) {
      const wanted = await findWatchable(path);
      if (wanted && watches.get(label)?.key === wanted.key) return wanted.name === undefined;
      drop(label);
      if (!wanted) return false;
      if (watches.size < mostWatches) begin(label, wanted);
      else warn(path, `more than ${mostWatches} folders`);
      return wanted.name === undefined;
    },
    isAwaited: (label) => watches.get(label)?.isAbove === true,
    keepOnly(labels) {
      for (const label of watches.keys()) if (!labels.has(label)) drop(label);
    },
    close() {
      for (const label of watches.keys()) drop(label);
    },
  };
}

/** The folder, or the one above with the name to look out for. A folder made anew under the same name is another one. */
async function findWatchable(
  path: string,
): Promise<{ key: string; path: string; name: string | undefined } | undefined> {
  const own = await keyOf(path);
  if (own !== undefined) return { key: own, path, name: undefined };
  const above = await keyOf(dirname(path));
  return above === undefined ? undefined : { key: above, path: dirname(path), name: basename(path) };
}

async function keyOf(path: string): Promise<string | undefined> {
  const info = await stat(path).catch(() => undefined);
  return info?.isDirectory() ? `${path} ${info.dev}:${info.ino}` : undefined;
}
