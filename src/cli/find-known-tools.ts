/** Custom tools for commands that check the config: what is on the disk, and the list that mom keeps in her store. */
import { type CustomTools, findCustomTools, type MomConfig } from "../app/index.ts";
import { createSystemClock } from "../base/clock.ts";
import { createSilentLog } from "./cli-log.ts";
import type { CliIo } from "./io.ts";
import { hasStore, openGuestStore } from "./open-guest-store.ts";

/** `mayOpenStore`: opening one brings it up to date, which a command that must change nothing cannot have. */
export async function findKnownTools(
  { env }: Pick<CliIo, "env">,
  dataDir: string,
  { config, mayOpenStore }: { config: MomConfig; mayOpenStore: boolean },
): Promise<CustomTools> {
  const kv = { get: (scope: string, key: string) => readKept(dataDir, scope, key) };
  return findCustomTools({ dataDir, env, config, ...(mayOpenStore && { kv }) });
}

/** Undefined too where the store cannot be opened: that is for others to tell. */
async function readKept(dataDir: string, scope: string, key: string): Promise<unknown> {
  if (!hasStore(dataDir)) return undefined;
  const clock = createSystemClock();
  try {
    const store = await openGuestStore({ dataDir, clock, log: createSilentLog(clock) });
    try {
      return await store.kv.get(scope, key);
    } finally {
      await store.close();
    }
  } catch {
    return undefined;
  }
}
