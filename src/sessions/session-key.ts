/** Names of sessions (spec 3.3): built here and nowhere else, so that no id from a platform can pose as another key. */
import type { SessionKey } from "../contracts/ids.ts";
import type { ChannelRef } from "../contracts/message.ts";
import type { SessionRoute } from "../contracts/session.ts";

/** Colons part the fields of a key and `#` the lanes of a session, so inside a field they are escaped. */
const field = (value: string) => value.replaceAll("%", "%25").replaceAll(":", "%3A").replaceAll("#", "%23");

/** The owner's own session: trusted, the same from whatever chat the owner writes. */
export function buildMainRoute(agentId: string, channel: ChannelRef): SessionRoute {
  return { sessionKey: `agent:${field(agentId)}:main` as SessionKey, type: "main", agentId, channel };
}

/** A conversation with somebody else, or with several: it belongs to its chat. */
export function buildChatRoute(agentId: string, type: "dm" | "group", channel: ChannelRef): SessionRoute {
  const parts = ["agent", agentId, type, channel.adapter, channel.channelId].map(field);
  return { sessionKey: parts.join(":") as SessionKey, type, agentId, channel };
}
