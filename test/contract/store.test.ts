/** The store contract on SQLite and files. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionKey } from "../../src/contracts/ids.ts";
import type { Store } from "../../src/contracts/store.ts";
import { buildLayout, openStore } from "../../src/store/index.ts";
import { createFakeClock } from "../fakes/clock.ts";
import { silentLog } from "../fakes/log.ts";
import { storeContract } from "./store.ts";

storeContract("sqlite", async () => {
  const clock = createFakeClock();
  const dataDir = await mkdtemp(join(tmpdir(), "mom-store-"));
  let current: Store | undefined;
  return {
    clock,
    async open() {
      // Closing is what a dying process does for us: the system drops its lock. Leases are left as they were.
      await current?.close();
      current = await openStore({
        layout: buildLayout(dataDir),
        clock,
        log: silentLog,
        role: "owner",
        routesOf: (channel) => [
          { sessionKey: "agent:main:main" as SessionKey, type: "main", agentId: "main", channel },
        ],
      });
      return current;
    },
    async dispose() {
      await current?.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
});
