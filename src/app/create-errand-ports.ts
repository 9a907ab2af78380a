/** What jobs, heartbeats, event files and subagents are given of the house: letters and posts, by routes and rights as they are today. */
import { deliveryIdOf } from "../base/ids.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Principal } from "../contracts/errand.ts";
import type { ErrandPorts } from "../contracts/errand-ports.ts";
import type { DeliveryId } from "../contracts/ids.ts";
import type { ChannelMessage, ChannelRef } from "../contracts/message.ts";
import type { Store } from "../contracts/store.ts";
import type { Inbound } from "../inbound/index.ts";
import { buildErrandLetter } from "../sessions/index.ts";
import type { AdapterSet } from "./adapters.ts";

interface ErrandPortDeps {
  store: Pick<Store, "sessions">;
  clock: Clock;
  adapters(): AdapterSet;
  inbound(): Inbound;
}

type Place = Parameters<ErrandPorts["principalOf"]>[0];

export function createErrandPorts({ store, clock, adapters, inbound }: ErrandPortDeps): ErrandPorts {
  const toMessage = (
    { channel, sender }: Place,
    more: { id: string; text: string; outside?: string },
  ): ChannelMessage => ({
    id: more.id,
    channelId: channel.channelId,
    timestamp: new Date(clock.now()).toISOString(),
    sender: { ...sender, isBot: false },
    text: more.text,
    attachments: [],
    isMention: true,
    ...(more.outside !== undefined && { metadata: { outside: more.outside } }),
  });
  const originOf = ({ adapter, channelId }: ChannelRef) =>
    adapters().started.has(adapter) ? adapters().originOf(adapter, channelId) : undefined;
  const toChatLetter: ErrandPorts["toChatLetter"] = async (place, { isHeard, ...more }) => {
    const origin = originOf(place.channel);
    if (!origin) return undefined;
    const letter = await inbound().toLetter(origin, toMessage(place, more));
    return isHeard && letter.verdict.type === "turn" ? { ...letter, verdict: { type: "heard" } } : letter;
  };
  const principalOf = async (place: Place): Promise<Principal | undefined> => {
    // Whether somebody may talk is decided in one place: by the letter that they would write.
    const letter = await toChatLetter(place, { id: "may-talk", text: "-" });
    if (letter?.verdict.type !== "turn") return undefined;
    const { sessionKey, type, agentId } = letter.verdict.route;
    return { channel: place.channel, sender: place.sender, sessionKey, sessionType: type, agentId };
  };
  return {
    toErrandLetter: (errand, parts) => buildErrandLetter(errand, parts, clock.now()),
    toChatLetter,
    principalOf,
    async ownerOf(agentId) {
      const sessions = await store.sessions.list();
      const own = sessions.filter((session) => session.type === "main" && session.agentId === agentId);
      for (const { lastChannel } of own.toSorted((a, b) => b.updatedAt - a.updatedAt)) {
        const [id] = adapters().adminsOf(lastChannel.adapter);
        if (id === undefined) continue;
        const username = adapters().started.get(lastChannel.adapter)?.getUserInfo(id)?.username ?? id;
        const principal = await principalOf({ channel: lastChannel, sender: { id, username } });
        if (principal?.sessionType === "main") return principal;
      }
      return undefined;
    },
    planPosts(channel, markdown, id, turnId) {
      const adapter = adapters().started.get(channel.adapter);
      const texts = markdown.trim() === "" ? [] : (adapter?.render(markdown.trim()) ?? []);
      return texts.map((text, n) => ({
        id: turnId === undefined ? (`${id}.${n}` as DeliveryId) : deliveryIdOf(turnId, n),
        channel,
        ...(turnId !== undefined && { turnId }),
        body: { type: "text", text },
      }));
    },
    isRunning: (adapter) => adapters().started.has(adapter),
  };
}
