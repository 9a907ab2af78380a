/** What inbound knows of where a message came from. Built by the app from the adapter and its config. */
import type { AccessRules } from "../contracts/channel.ts";
import type { ChannelInfo, SessionWindow } from "../contracts/message.ts";

export interface Origin {
  adapter: string;
  adapterType: string;
  /** `unknown`: the platform has not described it. Who talks there needs the rights of both kinds of chat. */
  chat: ChannelInfo["type"] | "unknown";
  /** The chat that this topic or thread is part of. */
  parentId?: string;
  /** It is a topic that the platform keeps apart, and so does mom. */
  topicId?: string;
  /** The chat has no session of its own: it is a window on this one. */
  window?: SessionWindow;
  rules: AccessRules;
  /** As `PlatformAdapter.render`. */
  render(markdown: string): string[];
}
