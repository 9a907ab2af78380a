/** Drops what is finished and old: rows of the store, exports that were delivered. Now and then, a little at a time. */
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";
import type { Store } from "../contracts/store.ts";
import { pruneExports } from "./prune-exports.ts";

interface HousekeepingDeps {
  store: Pick<Store, "prune">;
  exportsDir: string;
  /** Further rooms that keep something. */
  tidy(): Promise<void>;
  clock: Clock;
  log: Log;
}

const keepFinishedMs = 30 * 24 * 3600_000;
const keepExportsMs = 7 * 24 * 3600_000;
const firstAfterMs = 60_000;
const everyMs = 6 * 3600_000;
const pauseMs = 100;

export function createHousekeeping({ store, exportsDir, tidy, clock, log }: HousekeepingDeps): {
  start(): void;
  stop(): void;
} {
  let isStopped = false;
  let cancel = () => {};
  const clean = async () => {
    try {
      while (!isStopped && (await store.prune(clock.now() - keepFinishedMs)) > 0) await clock.sleep(pauseMs);
      await pruneExports(exportsDir, clock.now() - keepExportsMs);
      await tidy();
    } catch (error) {
      log.warn("Old rows could not be dropped", { error });
    }
    if (!isStopped) cancel = clock.after(everyMs, () => void clean());
  };
  return {
    start() {
      cancel = clock.after(firstAfterMs, () => void clean());
    },
    stop() {
      isStopped = true;
      cancel();
    },
  };
}
