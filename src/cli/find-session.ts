/** The session that a key on the command line means. */
import { StoreError } from "../base/errors.ts";
import { pickNearest } from "../base/nearest.ts";
import type { SessionEntry } from "../contracts/session.ts";
import type { Store } from "../contracts/store.ts";

/** Throws `SESSION_UNKNOWN` with the nearest key. */
export async function findSession(store: Store | undefined, key: string): Promise<SessionEntry> {
  const sessions = (await store?.sessions.list()) ?? [];
  const session = sessions.find(({ sessionKey }) => sessionKey === key);
  if (session) return session;
  const near = pickNearest(
    key,
    sessions.map(({ sessionKey }) => sessionKey),
  );
  throw new StoreError("SESSION_UNKNOWN", `There is no session "${key}".`, {
    hint: near === undefined ? "`mom sessions list` shows the ones there are." : `Did you mean ${near}?`,
  });
}
