/** Runs a command that only looks, on the store of a data directory, also beside a running mom. */
import { createSystemClock } from "../base/clock.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Store } from "../contracts/store.ts";
import { createSilentLog } from "./cli-log.ts";
import { findDataDir } from "./data-dir.ts";
import type { CliIo } from "./io.ts";
import { hasStore, openGuestStore } from "./open-guest-store.ts";

export interface GuestUse {
  /** Undefined: mom was never started there, so there is nothing to show and nothing to make. */
  store: Store | undefined;
  clock: Clock;
  dataDir: string;
}

export async function withGuestStore(
  io: CliIo,
  data: string | undefined,
  use: (guest: GuestUse) => Promise<void>,
): Promise<void> {
  const dataDir = await findDataDir(io, data);
  const clock = createSystemClock();
  if (!hasStore(dataDir)) return use({ store: undefined, clock, dataDir });
  const store = await openGuestStore({ dataDir, clock, log: createSilentLog(clock) });
  try {
    await use({ store, clock, dataDir });
  } finally {
    await store.close();
  }
}
