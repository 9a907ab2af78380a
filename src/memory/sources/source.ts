/** What an agent's memory is made of: which files, and to whom the lines of each belong. */
import type { MemoryReader, MemoryVisibility } from "../../contracts/memory.ts";
import type { ChannelRef } from "../../contracts/message.ts";

/** Where an agent's memory lies. The folders are trusted and may be links; of what is in them nothing is. */
export interface MemorySourceRoots {
  /** Absolute. Has `MEMORY.md` and `memory/`. */
  workspaceDir: string;
  /** Absolute: what has `channels/<adapter>/<chat>/`. Absent: the agent's chats have no memory of their own. */
  channelsRoot?: string;
  /** The agent's chats, as `channelFolder` names them. Absent: every folder that is there. */
  channels?: readonly ChannelRef[];
  /** Conversations, where these are searched. `path`: below `channelsRoot`. `name`: as hits call it behind `sessions/`. */
  transcripts?: readonly { name: string; path: string; visibility: MemoryVisibility }[];
}

/**
 * Whose lines they are, as one word: `owner`, `shared`, or `chat:` and the chat's folder. Scopes are compared as they are;
 * nothing is ever found by a part of one.
 */
export type Scope = string;

export type ChannelFolder = (channel: ChannelRef) => string;

/** As paths are written in the index, whatever the system. */
export const toSlashes = (path: string): string => path.replaceAll("\\", "/");

export function toScope(visibility: MemoryVisibility, channelFolder: ChannelFolder): Scope {
  return visibility.type === "chat" ? `chat:${toSlashes(channelFolder(visibility.channel))}` : visibility.type;
}

/** The scopes that a reader may see. Undefined: all of this agent's. */
export function listScopes(reader: MemoryReader, channelFolder: ChannelFolder): Scope[] | undefined {
  if (reader.type === "owner") return undefined;
  return ["shared", toScope({ type: "chat", channel: reader.channel }, channelFolder)];
}

/** What a worker can be told: no functions in it. */
export interface SourcePlan {
  workspaceDir: string;
  channelsRoot?: string;
  /** `channels/slack/C1`. Absent: every one. */
  channelFolders?: string[];
  transcripts: { name: string; path: string; scope: Scope }[];
  folders: { name: string; path: string; scope: Scope }[];
}

/** One file of the memory. */
export interface Source {
  /** As hits name it. */
  path: string;
  /** Absolute, trusted. */
  root: string;
  /** Below the root; untrusted. */
  file: string;
  scope: Scope;
  type: "note" | "transcript";
}
