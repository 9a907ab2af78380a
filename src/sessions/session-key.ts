/** Names of sessions (spec 3.3): built here and nowhere else, so that no id from a platform can pose as another key. */
import type { SessionKey } from "../contracts/ids.ts";
import type { ChannelRef } from "../contracts/message.ts";
import type { SessionRoute } from "../contracts/session.ts";

/** What a session is named after. */
export type SessionName =
  /** The owner's own: trusted, the same from whatever chat the owner writes. */
  | { type: "main" }
  /** With somebody else, or with several: it belongs to its chat. */
  | { type: "dm" | "group"; channel: ChannelRef }
  | { type: "topic"; channel: ChannelRef; topicId: string }
  | { type: "subagent"; childId: string }
  | { type: "cron"; jobId: string };

export function buildSessionKey(agentId: string, name: SessionName): SessionKey {
  return ["agent", agentId, name.type, ...listParts(name)].map(escapePart).join(":") as SessionKey;
}

/** `channel`: where the session's messages come from. */
export function buildRoute(agentId: string, name: SessionName, channel: ChannelRef): SessionRoute {
  return { sessionKey: buildSessionKey(agentId, name), type: name.type, agentId, channel };
}

function listParts(name: SessionName): string[] {
  switch (name.type) {
    case "main":
      return [];
    case "dm":
    case "group":
      return [name.channel.adapter, name.channel.channelId];
    case "topic":
      return [name.channel.adapter, name.channel.channelId, name.topicId];
    case "subagent":
      return [name.childId];
    case "cron":
      return [name.jobId];
  }
}

/** Colons part the fields of a key and `#` the lanes of a session, so inside a field they are escaped. */
const escapePart = (value: string) => value.replaceAll("%", "%25").replaceAll(":", "%3A").replaceAll("#", "%23");
