/** Who is due but must not be asked yet: those that wait for something, and those whose handler failed. Lost with the process. */
import type { Clock } from "../contracts/clock.ts";
import type { DueItem } from "../contracts/schedule.ts";

interface Holds {
  /** Grows with every `wake`. */
  readonly wakes: number;
  /** Not before `untilMs`, unless `wake` comes first. */
  wait(item: DueItem, untilMs?: number): void;
  /** The handler failed: the more often, the longer. Says for how long. */
  fail(item: DueItem): number;
  /** An item that has changed is not held any more. */
  isHeld(item: DueItem): boolean;
  release(item: DueItem): void;
  /** Those that wait may be asked again; those that failed keep their distance. */
  wake(): void;
  releaseAll(): void;
  /** Forgets all others: they are not due any more. */
  keepOnly(items: Iterable<DueItem>): void;
  /** How long until the next one may be asked; `Infinity` when nobody is held. */
  nextMs(): number;
}

interface Hold {
  /** The item as it was then. */
  updatedAt: number;
  /** Of one that waits: wall time. Of one that failed: monotonic, so that no jump of the clock makes it longer. */
  until: number;
  failures: number;
}

/** For those that name no time: should nobody wake us, they are asked again this late. */
const quietWaitMs = 60_000;
const firstPutOffMs = 5000;
const longestPutOffMs = 600_000;

const keyOf = ({ source, id }: DueItem) => `${source}:${id}`;

export function createHolds(clock: Clock): Holds {
  const holds = new Map<string, Hold>();
  let wakes = 0;
  const find = (item: DueItem) => {
    const hold = holds.get(keyOf(item));
    return hold?.updatedAt === item.updatedAt ? hold : undefined;
  };
  const leftMs = ({ failures, until }: Hold) => until - (failures > 0 ? clock.monotonic() : clock.now());
  return {
    get wakes() {
      return wakes;
    },
    wait(item, untilMs = clock.now() + quietWaitMs) {
      holds.set(keyOf(item), { updatedAt: item.updatedAt, until: untilMs, failures: 0 });
    },
    fail(item) {
      const failures = (find(item)?.failures ?? 0) + 1;
      const waitMs = Math.min(longestPutOffMs, firstPutOffMs * 2 ** (failures - 1));
      holds.set(keyOf(item), { updatedAt: item.updatedAt, until: clock.monotonic() + waitMs, failures });
      return waitMs;
    },
    isHeld(item) {
      const hold = find(item);
      return hold !== undefined && leftMs(hold) > 0;
    },
    release: (item) => void holds.delete(keyOf(item)),
    wake() {
      wakes++;
      for (const [key, { failures }] of holds) if (failures === 0) holds.delete(key);
    },
    releaseAll: () => holds.clear(),
    keepOnly(items) {
      const kept = new Set([...items].map(keyOf));
      for (const key of holds.keys()) if (!kept.has(key)) holds.delete(key);
    },
    // One whose time is over is asked by the look that is under way.
    nextMs: () => Math.min(Number.POSITIVE_INFINITY, ...[...holds.values()].map(leftMs).filter((ms) => ms > 0)),
  };
}
