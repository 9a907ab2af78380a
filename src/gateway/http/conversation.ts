/**
 * Which conversation a request belongs to. A name from outside is only ever a name: it is encoded, stands behind a prefix of
 * its own, and can neither leave the API's conversations nor meet one that mom has named herself.
 */
import { createHash, randomBytes } from "node:crypto";
import type { GatewayHouse } from "../../contracts/gateway.ts";
import type { ChannelRef } from "../../contracts/message.ts";

export interface Conversation {
  agentId: string;
  /** Letters, digits and `-_.!'()*~` only. */
  name: string;
  /** Forgotten after the turn. Otherwise it remembers what was said. */
  isPassing: boolean;
}

/** Above this a name is only its hash: session keys have an end. */
const longestName = 200;

export function toUserConversation(agentId: string, user: string): Conversation {
  const encoded = encodeURIComponent(user).replaceAll("~", "%7E").replaceAll("%", "~");
  const name = encoded.length <= longestName ? `user-${encoded}` : `long-${hash(user)}`;
  return { agentId, name, isPassing: false };
}

/** `seed`: the same one gives the same conversation (a request that is repeated); absent: one that nobody has. */
export function toOwnConversation(
  agentId: string,
  { isPassing, seed }: { isPassing: boolean; seed?: string | undefined },
): Conversation {
  const id = seed === undefined ? randomBytes(16).toString("hex") : hash(seed).slice(0, 32);
  return { agentId, name: `${isPassing ? "once" : "kept"}-${id}`, isPassing };
}

/** The chat that it is, where its files are kept. */
export function toChat(
  house: Pick<GatewayHouse, "chatOf" | "mainSessionKey">,
  { agentId, name }: Pick<Conversation, "agentId" | "name">,
): ChannelRef {
  const mainKey = house.mainSessionKey(agentId);
  const adapter = mainKey === undefined ? "webchat" : house.chatOf(mainKey).adapter;
  return { adapter, channelId: `api/${agentId}/${name}` };
}

const hash = (text: string) => createHash("sha256").update(text).digest("hex");
