/**
 * Keeps what tools of all turns share over edits of the config, and ends it with mom. The parts themselves are loaded with
 * the first turn: a mom that is only started does not pay for them.
 */
import type { SessionKey } from "../contracts/ids.ts";
import { loadShared } from "./catalog.ts";
import type { SharedConfig, SharedDeps, SharedParts } from "./shared-parts.ts";
import type { Browser } from "./ui/browser.ts";

export interface SharedTools {
  get(): Promise<SharedParts>;
  /** Ends what the session has left running. */
  endRuns(session: SessionKey): Promise<void>;
  /** Takes over an edited config; what it does not change goes on. */
  follow(config: SharedConfig): Promise<void>;
  close(): Promise<void>;
}

/** For `mom doctor`: starts a browser and ends it again. */
export async function checkBrowser(
  deps: SharedDeps,
  config: SharedConfig,
): Promise<Awaited<ReturnType<Browser["check"]>>> {
  const { createSharedParts } = await loadShared();
  const parts = createSharedParts(deps, config);
  return parts.browser.check().finally(parts.close);
}

export function createSharedTools(deps: SharedDeps, config: SharedConfig): SharedTools {
  let current = config;
  let parts: Promise<SharedParts> | undefined;
  return {
    get: () => (parts ??= loadShared().then(({ createSharedParts }) => createSharedParts(deps, current))),
    async endRuns(session) {
      await (await parts)?.runs.closeSession(session);
    },
    async follow(next) {
      current = next;
      await (await parts)?.follow(next);
    },
    async close() {
      await (await parts)?.close();
    },
  };
}
