/** Who may talk (spec 2.4). Pure: what it looks at is the message and the adapter's rules, never what the text says. */
import type { AccessRules } from "../contracts/channel.ts";
import type { ChannelInfo, ChannelMessage } from "../contracts/message.ts";

export type Admission =
  /** Addressed and allowed. */
  | { type: "admitted"; isAdmin: boolean }
  /** Not for mom: history only. */
  | { type: "heard" }
  | { type: "refused"; reason: string };

export function admit(message: ChannelMessage, chat: ChannelInfo["type"], rules: AccessRules): Admission {
  if (message.sender.isBot || !message.isMention) return { type: "heard" };
  const isAdmin = rules.admins.includes(message.sender.id);
  if (isAdmin || chat !== "dm") return { type: "admitted", isAdmin };
  if (rules.dm === "everyone") return { type: "admitted", isAdmin };
  if (rules.dm !== "none" && rules.dm.includes(message.sender.id)) return { type: "admitted", isAdmin };
  return { type: "refused", reason: `${message.sender.id} may not write to mom directly (adapter's "dm" setting)` };
}
