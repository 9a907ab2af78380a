/** Shows a turn's events through its adapter. Purely for show: one that fails or hangs costs looks, never the turn. */
import { within } from "../base/within.ts";
import type { AgentSessionEvent } from "../contracts/agent.ts";
import type { PlatformAdapter } from "../contracts/channel.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";
import type { SessionEntry } from "../contracts/session.ts";
import type { Turn } from "../contracts/turn.ts";

/** An adapter that takes longer to show something holds the turn up no more. */
const showWithinMs = 2000;

/** The result never rejects. After a first failure nothing more of the turn is shown. */
export function buildShow(
  { log, clock }: { log: Log; clock: Clock },
  channel: PlatformAdapter | undefined,
  turn: Turn,
  session: Pick<SessionEntry, "isQuiet">,
): (event: AgentSessionEvent) => Promise<void> {
  let isBroken = false;
  return async (event) => {
    if (!channel || isBroken || (session.isQuiet && isDetail(event))) return;
    const show = async () => {
      await channel.showEvent(turn.message.channelId, turn.id, event, turn.message);
      return undefined;
    };
    const failure = await within<string | undefined>(clock, showWithinMs, show(), (reason) => reason);
    if (failure === undefined || isBroken) return;
    isBroken = true;
    log.warn("A turn is not shown any further", { turn: turn.id, adapter: channel.name, reason: failure });
  };
}

/** What a session that was told to be quiet does not want to see. */
const isDetail = ({ type }: AgentSessionEvent) => type.startsWith("tool_execution_") || type === "thinking_delta";
