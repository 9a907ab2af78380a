/** The session of a turn: opened, or begun anew where its rest or the hour calls for it. */
import type { Clock } from "../contracts/clock.ts";
import type { SessionEntry } from "../contracts/session.ts";
import type { Sessions } from "../contracts/store.ts";
import type { Turn } from "../contracts/turn.ts";
import type { SessionsConfig } from "./config.ts";
import { needsReset } from "./needs-reset.ts";

/**
 * `isBegun`: the turn has recorded something already; a conversation never ends in the middle of one. A command looks at the
 * conversation there is and is no use of it: asking for the status keeps nothing awake.
 */
export async function openSession(
  { sessions, clock, config }: { sessions: Sessions; clock: Clock; config: SessionsConfig },
  turn: Turn,
  isBegun: boolean,
): Promise<SessionEntry> {
  const known = await sessions.get(turn.route.sessionKey);
  if (turn.message.errand) {
    if (known && !isBegun && turn.message.errand.isFresh) await sessions.delete(known.sessionKey, turn.id);
    return sessions.open(turn.route);
  }
  if (known && turn.kind === "command") return known;
  // Up to the message, not to now: it may have waited for a crash to be over. Unless the clock was set back since.
  const heardAt = Math.min(turn.createdAt, clock.now());
  // Looked at before opening, which counts as use.
  if (known && !isBegun && needsReset(config, known.updatedAt, heardAt))
    await sessions.reset(known.sessionKey, turn.id);
  return sessions.open(turn.route);
}
