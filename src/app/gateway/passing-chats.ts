/**
 * Conversations for one answer: an API call that names nobody brings its whole history along, so nothing of it is kept. Each is
 * written down before anything is said in it; what a crash leaves behind is forgotten at the next start.
 */
import type { GatewayHouse, OperatorSaid, SaidResult } from "../../contracts/gateway.ts";
import type { TurnId } from "../../contracts/ids.ts";
import type { Log } from "../../contracts/log.ts";
import type { ChannelRef } from "../../contracts/message.ts";
import type { Store } from "../../contracts/store.ts";

interface PassingParts {
  store: {
    sessions: Pick<Store["sessions"], "delete">;
    channels: Pick<Store["channels"], "remove">;
    kv: Pick<Store["kv"], "set" | "list" | "delete">;
    turns: Pick<Store["turns"], "ofMessage">;
  };
  /** The chat that a conversation of this name is held in. */
  chatOf(agentId: string, name: string): ChannelRef;
  whenOver(turnId: TurnId): Promise<void>;
  forgetChat(channel: ChannelRef): Promise<void>;
  log: Log;
}

type PassingSaid = OperatorSaid & { to: { type: "named" } };

export interface PassingChats {
  say(said: PassingSaid, say: GatewayHouse["say"]): Promise<SaidResult>;
  /** Forgets what an earlier life left; those whose turn still runs when it is over. */
  sweep(): Promise<void>;
}

const scope = "gateway-passing";

export function createPassingChats({ store, chatOf, whenOver, forgetChat, log }: PassingParts): PassingChats {
  /** Messages that are being said, and how often at once: they may have their turn only in a moment. */
  const underWay = new Map<string, number>();
  const count = (messageId: string, by: 1 | -1) => {
    const times = (underWay.get(messageId) ?? 0) + by;
    if (times > 0) underWay.set(messageId, times);
    else underWay.delete(messageId);
  };

  const forget = async (messageId: string, channel: ChannelRef) => {
    const turn = await store.turns.ofMessage(channel, messageId);
    // Whoever says it just now looks after it.
    if (!turn && underWay.has(messageId)) return;
    if (turn) {
      await whenOver(turn.id);
      await store.sessions.delete(turn.route.sessionKey);
    }
    await store.channels.remove(channel);
    await forgetChat(channel);
    await store.kv.delete(scope, messageId);
  };
  const forgetLater = (messageId: string, channel: ChannelRef) =>
    void forget(messageId, channel).catch((error: unknown) =>
      log.warn("A passing conversation could not be removed", { error }),
    );
  return {
    async say(said, say) {
      const { messageId, to } = said;
      const channel = chatOf(to.agentId, to.name);
      count(messageId, 1);
      try {
        await store.kv.set(scope, messageId, { adapter: channel.adapter, channelId: channel.channelId });
        return await say(said);
      } finally {
        count(messageId, -1);
        // Also where it was refused or failed: whether it has a turn is asked then.
        forgetLater(messageId, channel);
      }
    },
    async sweep() {
      for (const [messageId, row] of await store.kv.list(scope)) {
        if (isChannel(row)) forgetLater(messageId, row);
        else await store.kv.delete(scope, messageId);
      }
    },
  };
}

const isChannel = (row: unknown): row is ChannelRef =>
  typeof row === "object" &&
  row !== null &&
  "adapter" in row &&
  typeof row.adapter === "string" &&
  "channelId" in row &&
  typeof row.channelId === "string";
