/**
 * Who and what is in the servers, as events tell it: fills the directory. After a restart that resumed a session those events
 * do not come again; then it asks once over REST, and for a single chat when somebody speaks in an unknown one.
 */
import type { API } from "@discordjs/core";
import {
  type APIGuildMember,
  type APIRole,
  type APIUser,
  ChannelType,
  GatewayDispatchEvents,
  type GatewayDispatchPayload,
} from "discord-api-types/v10";
import type { Log } from "../../contracts/log.ts";
import type { ChannelInfo } from "../../contracts/message.ts";
import type { Directory } from "../kit/directory.ts";

export interface GuildBook {
  /** Learns from an event, if there is something to learn. */
  learn(payload: GatewayDispatchPayload): void;
  /** Over REST, for a life that began with a resumed session. Never rejects. */
  load(signal: AbortSignal): Promise<void>;
  /** Makes sure that the chat is known. `personName`: set for a direct chat. Never rejects. */
  ensureChannel(channelId: string, personName?: string): Promise<void>;
  putUser(user: APIUser, member?: Pick<APIGuildMember, "nick">): void;
  isOwnRole(roleId: string): boolean;
  /** Any server that mom is in. */
  pickGuildId(): string | undefined;
}

export interface GuildBookDeps {
  api: API;
  log: Log;
  directory: Directory;
  selfId(): string;
}

/** Where people can write. Forums and categories are none of these; their threads are. */
const talkTypes: readonly ChannelType[] = [
  ChannelType.GuildText,
  ChannelType.GuildAnnouncement,
  ChannelType.GuildVoice,
  ChannelType.GuildStageVoice,
  ChannelType.AnnouncementThread,
  ChannelType.PublicThread,
  ChannelType.PrivateThread,
];
const threadTypes: readonly ChannelType[] = talkTypes.slice(-3);
const mostGuilds = 100;

/** A channel as far as we look at it; events leave out much. */
interface SeenChannel {
  id: string;
  type: ChannelType;
  name?: string | null | undefined;
  parent_id?: string | null | undefined;
}

export function createGuildBook({ api, log, directory, selfId }: GuildBookDeps): GuildBook {
  const guilds = new Set<string>();
  const ownRoles = new Set<string>();

  const putChannel = (channel: SeenChannel) => {
    const info = toChannelInfo(channel);
    if (info) directory.putChannel(info);
  };
  const putUser: GuildBook["putUser"] = (user, member) => {
    if (user.id === selfId()) return;
    const displayName = member?.nick ?? user.global_name ?? undefined;
    directory.putUser({ id: user.id, username: user.username, ...(displayName !== undefined && { displayName }) });
  };
  const putGuild = (id: string, roles: readonly APIRole[]) => {
    if (guilds.size < mostGuilds) guilds.add(id);
    for (const { id: roleId, tags } of roles) if (tags?.bot_id === selfId()) ownRoles.add(roleId);
  };
  const loadGuild = async (id: string, signal: AbortSignal) => {
    const guild = await api.guilds.get(id, { signal });
    putGuild(id, guild.roles);
    for (const channel of await api.guilds.getChannels(id, { signal })) putChannel(channel);
    for (const thread of (await api.guilds.getActiveThreads(id, { signal })).threads) putChannel(thread);
  };

  return {
    learn({ t, d }) {
      switch (t) {
        case GatewayDispatchEvents.GuildCreate:
          putGuild(d.id, d.roles);
          for (const channel of [...d.channels, ...d.threads]) putChannel(channel);
          for (const member of d.members) putUser(member.user, member);
          break;
        case GatewayDispatchEvents.GuildDelete:
          if (!d.unavailable) guilds.delete(d.id);
          break;
        case GatewayDispatchEvents.ChannelCreate:
        case GatewayDispatchEvents.ChannelUpdate:
        case GatewayDispatchEvents.ThreadCreate:
        case GatewayDispatchEvents.ThreadUpdate:
          putChannel(d);
          break;
        case GatewayDispatchEvents.ThreadListSync:
          for (const thread of d.threads) putChannel(thread);
          break;
        case GatewayDispatchEvents.ChannelDelete:
        case GatewayDispatchEvents.ThreadDelete:
          directory.removeChannel(d.id);
          break;
        case GatewayDispatchEvents.GuildMemberAdd:
        case GatewayDispatchEvents.GuildMemberUpdate:
          putUser(d.user, { nick: d.nick ?? null });
          break;
        case GatewayDispatchEvents.GuildMembersChunk:
          for (const member of d.members) putUser(member.user, member);
          break;
      }
    },
    async load(signal) {
      try {
        const found = await api.users.getGuilds({ limit: mostGuilds }, { signal });
        for (const { id } of found) await loadGuild(id, signal);
      } catch (error) {
        log.debug("The servers could not be looked through; chats are learnt as people speak", { error });
      }
    },
    async ensureChannel(channelId, personName) {
      if (directory.channel(channelId)) return;
      if (personName !== undefined) return directory.putChannel({ id: channelId, name: personName, type: "dm" });
      try {
        putChannel(await api.channels.get(channelId));
      } catch (error) {
        log.debug("A chat could not be looked up", { channel: channelId, error });
      }
      if (!directory.channel(channelId)) directory.putChannel({ id: channelId, name: channelId, type: "channel" });
    },
    putUser,
    isOwnRole: (roleId) => ownRoles.has(roleId),
    pickGuildId: () => guilds.values().next().value,
  };
}

/** Whether people write there. */
export const canTalkIn = ({ type }: { type: ChannelType }): boolean => talkTypes.includes(type);

function toChannelInfo({ id, type, name, parent_id }: SeenChannel): ChannelInfo | undefined {
  if (!canTalkIn({ type })) return undefined;
  const parent = threadTypes.includes(type) ? (parent_id ?? undefined) : undefined;
  return { id, name: name ?? id, type: "channel", ...(parent !== undefined && { parentId: parent }) };
}
