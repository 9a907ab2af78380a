/**
 * Conversations for one answer: an API call that names nobody brings its whole history along, so nothing of it is kept. They
 * are written down while they last; what a crash leaves behind is forgotten at the next start.
 */
import type { GatewayHouse, OperatorSaid, SaidResult } from "../../contracts/gateway.ts";
import type { SessionKey, TurnId } from "../../contracts/ids.ts";
import type { Log } from "../../contracts/log.ts";
import type { ChannelRef } from "../../contracts/message.ts";
import type { Store } from "../../contracts/store.ts";

interface PassingParts {
  store: Pick<Store, "sessions" | "channels" | "kv" | "turns">;
  whenOver(turnId: TurnId): Promise<void>;
  forgetChat(channel: ChannelRef): Promise<void>;
  log: Log;
}

export interface PassingChats {
  say(said: OperatorSaid, say: GatewayHouse["say"]): Promise<SaidResult>;
  /** Forgets what an earlier life left; those whose turn still runs when it is over. */
  sweep(): Promise<void>;
}

const scope = "gateway-passing";

export function createPassingChats({ store, whenOver, forgetChat, log }: PassingParts): PassingChats {
  const forget = async (turnId: TurnId) => {
    await whenOver(turnId);
    const turn = await store.turns.get(turnId);
    if (turn) await remove(turn.route.sessionKey, turn.route.channel);
    await store.kv.delete(scope, turnId);
  };
  const remove = async (key: SessionKey, channel: ChannelRef) => {
    await store.sessions.delete(key);
    await store.channels.remove(channel);
    await forgetChat(channel);
  };
  const forgetLater = (turnId: TurnId) =>
    void forget(turnId).catch((error: unknown) => log.warn("A passing conversation could not be removed", { error }));
  return {
    async say(said, say) {
      const result = await say(said);
      if (result.type !== "accepted" || result.isRepeat) return result;
      await store.kv.set(scope, result.turnId, true);
      forgetLater(result.turnId);
      return result;
    },
    async sweep() {
      for (const turnId of (await store.kv.list(scope)).keys()) forgetLater(turnId as TurnId);
    },
  };
}
