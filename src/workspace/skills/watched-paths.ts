/**
 * Says whether anything in a set of files and folders has changed since it was last read. A look at each one's stamp
 * instead of a watcher: it works where watches run out or do not exist (containers, network disks), and for folders that
 * are not there yet. A folder's stamp changes when a name in it comes or goes. What keeps still is looked at once a second
 * at most; what has just changed, whenever it is asked for.
 */
import { stat } from "node:fs/promises";
import { systemCode } from "../../base/errors.ts";
import { toStamp } from "../read-file.ts";

/** Stamps by path, as they were before the path was read. */
export type WatchedPaths = ReadonlyMap<string, string>;

/** What was watched when something was read. */
export interface Sighting {
  watched: WatchedPaths;
  /** From before the last look; on the monotonic clock. */
  lookedAtMs: number;
  /** It has just changed: when to read once more, whatever the stamps say. Absent: it keeps still. */
  settleAtMs?: number;
}

const freshMs = 1000;
/** Two edits in one tick of the disk's clock look the same: what has changed is read once more after it. */
const settleMs = 100;
/** Stats under way for one place: the threads that do them are everybody's. */
const mostAtOnce = 8;

export const isFresh = (lookedAtMs: number, nowMs: number): boolean => nowMs - lookedAtMs < freshMs;

/** `fresh`: not looked at. `unsettled`: it looks the same, and must be read once more all the same, from the disk. */
export async function checkSighting(
  before: Sighting | undefined,
  nowMs: number,
): Promise<"fresh" | "same" | "changed" | "unsettled"> {
  if (before === undefined) return "changed";
  const { watched, lookedAtMs, settleAtMs } = before;
  if (settleAtMs === undefined && isFresh(lookedAtMs, nowMs)) return "fresh";
  if (await hasChanged(watched)) return "changed";
  return settleAtMs !== undefined && nowMs >= settleAtMs ? "unsettled" : "same";
}

/** `nowMs`: from before the reading. */
export function buildSighting(before: Sighting | undefined, watched: WatchedPaths, nowMs: number): Sighting {
  const isStill = before !== undefined && isSame(before.watched, watched);
  return { watched, lookedAtMs: nowMs, ...(isStill ? {} : { settleAtMs: nowMs + settleMs }) };
}

/** Follows links, so that one which leads elsewhere now has another stamp. Never rejects. */
export async function stampOf(path: string): Promise<string> {
  try {
    return toStamp(await stat(path));
  } catch (error) {
    const code = systemCode(error) ?? "unreadable";
    return code === "ENOENT" || code === "ENOTDIR" ? "absent" : code;
  }
}

async function hasChanged(watched: WatchedPaths): Promise<boolean> {
  const left = watched.entries();
  let isChanged = false;
  const look = async () => {
    for (const [path, stamp] of left) {
      if (isChanged) return;
      if ((await stampOf(path)) !== stamp) isChanged = true;
    }
  };
  await Promise.all(Array.from({ length: mostAtOnce }, look));
  return isChanged;
}

function isSame(a: WatchedPaths, b: WatchedPaths): boolean {
  if (a.size !== b.size) return false;
  for (const [path, stamp] of a) if (b.get(path) !== stamp) return false;
  return true;
}
