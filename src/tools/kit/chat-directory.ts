/** The chats and people that tools may know of, as the running adapters tell of them. Given by the composition root. */
import type { ChannelAction, PlatformAdapter } from "../../contracts/channel.ts";
import type { ChannelInfo, ChannelRef, UserInfo } from "../../contracts/message.ts";

export interface ChatAdapter extends Pick<PlatformAdapter, "name" | "type" | "capabilities" | "render"> {
  channels: ChannelInfo[];
  users: UserInfo[];
  /** Why the operator does not want this done there; undefined when it may be done. */
  findClosedGate(what: ChannelAction["type"] | "edit" | "delete"): string | undefined;
}

export interface ChatDirectory {
  /** The ones that run now. Asked at every call. */
  adapters(): ChatAdapter[];
}

export const findAdapter = (directory: ChatDirectory, { adapter }: ChannelRef): ChatAdapter | undefined =>
  directory.adapters().find(({ name }) => name === adapter);

export const isSameChat = (a: ChannelRef, b: ChannelRef): boolean =>
  a.adapter === b.adapter && a.channelId === b.channelId;
