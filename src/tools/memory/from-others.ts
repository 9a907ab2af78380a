/**
 * Which memory is text from outside (spec 5.5): what chats have as memory or have said, for others write and speak there. What
 * the owner keeps in the workspace is not, nor what belongs to the chat where nobody but the owner speaks.
 */
import type { OwnChat } from "../kit/outside-file.ts";

/** `path`: as memory gives it. */
export function isFromOthers(path: string, ownChat: OwnChat | undefined): boolean {
  // Conversations are called by their keys: in the main session of an agent only the owner speaks.
  if (path.startsWith("sessions/")) return !/^sessions\/agent:[^:/]+:main$/.test(path);
  const chat = /^channels\/([^/]+\/[^/]+)\//.exec(path)?.[1];
  if (chat === undefined) return false;
  const own = ownChat?.isOwners ? ownChat.folder.replaceAll("\\", "/").split("/").slice(-2).join("/") : undefined;
  return chat !== own;
}
