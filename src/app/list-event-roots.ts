/** The folders of event files: each agent's own, for any chat, and each chat's, for that chat alone. Rights are decided here. */
import { join } from "node:path";
import type { EventRoot } from "../automation/index.ts";
import type { ChannelRef, MessageSender } from "../contracts/message.ts";
import type { Store } from "../contracts/store.ts";
import { mainAgentId } from "../sessions/index.ts";
import type { buildLayout } from "../store/index.ts";
import type { AdapterSet } from "./adapters.ts";

interface EventRootDeps {
  layout: ReturnType<typeof buildLayout>;
  store: Pick<Store, "channels">;
  adapters: AdapterSet;
  agents: readonly { id: string; workspaceDir: string }[];
  chats: readonly ChannelRef[];
}

/** Lines of a chat that are looked through for who speaks there. */
const linesBack = 500;

export function listEventRoots({ layout, store, adapters, agents, chats }: EventRootDeps): EventRoot[] {
  const speakersOf = async (channel: ChannelRef): Promise<MessageSender[]> => {
    const lines = await store.channels.tail(channel, linesBack);
    return lines.filter(({ sender, refused }) => !sender.isBot && refused === undefined).map(({ sender }) => sender);
  };
  const isAdmin = ({ adapter }: ChannelRef, id: string) => adapters.adminsOf(adapter).includes(id);
  const isDirect = ({ adapter, channelId }: ChannelRef) => adapters.originOf(adapter, channelId)?.chat === "dm";
  const toAsker = ({ id, username }: MessageSender) => ({ id, username });
  /** Written for the owner. In somebody's direct chat it is theirs all the same: the owner's own session does not speak there. */
  const askerForOwner = async (channel: ChannelRef) => {
    const speakers = await speakersOf(channel);
    const last = speakers.findLast(({ id }) => isDirect(channel) || isAdmin(channel, id));
    if (last) return toAsker(last);
    const [owner] = adapters.adminsOf(channel.adapter);
    return isDirect(channel) || owner === undefined ? undefined : { id: owner, username: owner };
  };
  /**
   * Nobody's file gets an admin's rights because an admin is there too: whoever wrote it may have been silent since. Only a
   * direct chat in which nobody but an admin speaks is that admin's own.
   */
  const askerForChat = async (channel: ChannelRef) => {
    const speakers = await speakersOf(channel);
    const other = speakers.findLast(({ id }) => !isAdmin(channel, id));
    const asker = other ?? (isDirect(channel) ? speakers.at(-1) : undefined);
    return asker && toAsker(asker);
  };
  return [
    ...agents.map(
      ({ id, workspaceDir }): EventRoot => ({
        label: id === mainAgentId ? "events" : `agents/${id}/events`,
        workspaceDir,
        folder: "events",
        agentId: id,
        mayUse: () => true,
        askerOf: askerForOwner,
      }),
    ),
    ...chats.map((home): EventRoot => {
      const folder = join(layout.channelFolder(home), "events");
      return {
        label: folder,
        workspaceDir: layout.workspaceDir,
        folder,
        agentId: mainAgentId,
        home,
        mayUse: ({ adapter, channelId }) => adapter === home.adapter && channelId === home.channelId,
        askerOf: askerForChat,
      };
    }),
  ];
}
