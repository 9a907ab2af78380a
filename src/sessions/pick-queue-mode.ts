/** What a message does that comes while a turn runs: the session's own choice, else the adapter's, else everybody's. */
import type { QueueMode, SessionEntry } from "../contracts/session.ts";
import type { QueueConfig } from "./config.ts";

export function pickQueueMode(
  config: QueueConfig,
  adapter: { name: string; type: string },
  session: Pick<SessionEntry, "queueMode"> | undefined,
): QueueMode {
  return session?.queueMode ?? config.byChannel[adapter.name] ?? config.byChannel[adapter.type] ?? config.mode;
}
