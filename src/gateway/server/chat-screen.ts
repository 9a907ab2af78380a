/** The screens of the web chat: what was changed or taken back there is told to whoever follows the session. */
import type { ChatScreen, GatewayHouse } from "../../contracts/gateway.ts";
import type { DeliveryId, SessionKey } from "../../contracts/ids.ts";
import type { Log } from "../../contracts/log.ts";
import type { Delivery } from "../../contracts/store.ts";
import type { EventLog } from "../parts.ts";

interface ScreenDeps {
  house: Pick<GatewayHouse, "store" | "chatOf" | "mainSessionKey">;
  events: Pick<EventLog, "publish">;
  log: Log;
}

export function createChatScreen({ house, events, log }: ScreenDeps): ChatScreen {
  const { outbox, turns } = house.store;
  const findSession = async ({ turnId, channel }: Delivery): Promise<SessionKey | undefined> => {
    const turn = turnId && (await turns.get(turnId));
    if (turn) return turn.route.sessionKey;
    const main = house.mainSessionKey();
    return main !== undefined && house.chatOf(main).channelId === channel.channelId ? main : undefined;
  };
  const tell = async (channelId: string, deliveryId: string, text?: string) => {
    // Posts of the web chat have their delivery's id for their own.
    const delivery = await outbox.get(deliveryId as DeliveryId);
    const sessionKey = delivery && (await findSession(delivery));
    if (!delivery || sessionKey === undefined) return;
    const channel = { adapter: delivery.channel.adapter, channelId };
    events.publish("chat.edit", { channel, deliveryId, ...(text !== undefined && { text }) }, sessionKey);
  };
  return {
    edited(channelId, deliveryId, text) {
      // Who is not told finds it in the history.
      tell(channelId, deliveryId, text).catch((error: unknown) => log.debug("A change was not shown", { error }));
    },
  };
}
