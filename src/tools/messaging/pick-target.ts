/** The chat that a call of `message` goes to, and whether this conversation may post there. */
import { ToolError } from "../../base/errors.ts";
import { type ChatDirectory, findAdapter, isSameChat } from "../kit/chat-directory.ts";
import { listOwnRecipients, type PostScope } from "../kit/post-file.ts";
import { buildTarget, findTarget, type Target, type TargetResult } from "./find-target.ts";

export interface TargetDeps {
  scope: PostScope;
  directory: ChatDirectory;
}

export function resolveTo({ scope, directory }: TargetDeps, to: string | undefined): TargetResult {
  const { channel } = scope;
  const own = findAdapter(directory, channel);
  // Its own chat is always known, also one that the platform has not described.
  const isOwn = to === undefined || to.trim() === `${channel.adapter}:${channel.channelId}`;
  if (!isOwn) return findTarget(to, directory);
  return own ? { type: "target", target: buildTarget(own, channel.channelId) } : { type: "unknown" };
}

/** Throws what the model can act on. Only the owner's own session may look beyond its chat, also to learn who is there. */
export function pickTarget(deps: TargetDeps, to: string | undefined): Target {
  const { session, channel } = deps.scope;
  const found = resolveTo(deps, to);
  if (found.type === "target" && isSameChat(found.target.channel, channel)) return found.target;
  if (session.type !== "main") {
    throw new ToolError("MESSAGE_ELSEWHERE_REFUSED", "This conversation may post to its own chat only", {
      hint: "Leave out to. The owner can have things sent elsewhere from their own session.",
    });
  }
  if (found.type === "target") return found.target;
  throw toTargetError(found, to);
}

/** All that a call can reach, as standing orders may name it. */
export function listRecipients(deps: TargetDeps, to: string | undefined): string[] {
  const found = resolveTo(deps, to);
  if (found.type === "unknown") return to === undefined ? listOwnRecipients(deps.scope) : [to];
  if (found.type !== "target") return found.recipients;
  const { channel, recipients } = found.target;
  return isSameChat(channel, deps.scope.channel)
    ? [...new Set([...recipients, ...listOwnRecipients(deps.scope)])]
    : recipients;
}

function toTargetError(found: Exclude<TargetResult, { type: "target" }>, to = "this chat"): ToolError {
  if (found.type === "ambiguous") {
    return new ToolError("MESSAGE_TARGET_AMBIGUOUS", `"${to}" means several: ${found.ids.join(", ")}`, {
      hint: "Give the id in brackets as to.",
    });
  }
  if (found.type === "no-chat") {
    return new ToolError("MESSAGE_TARGET_UNKNOWN", `There has been no direct chat with ${found.label} yet`, {
      hint: "They must write to me first.",
    });
  }
  const nearest = found.nearest === undefined ? "" : `Did you mean ${found.nearest}? `;
  return new ToolError("MESSAGE_TARGET_UNKNOWN", `No chat or person "${to}" is known`, {
    hint: `${nearest}Write it as adapter:channelId, #channel or @person.`,
  });
}
