/** The fake's calls about the server, its members and the application itself. */
import { Refusal } from "./answer.ts";
import { findPlace } from "./messages.ts";
import { applicationFlags, toChannel, toGuild, toUser } from "./objects.ts";
import type { Routes } from "./rest.ts";
import type { World } from "./world.ts";

/** What was done to members, in order: `add-role`, `remove-role`, `kick`, `ban`. */
export interface MemberChange {
  type: string;
  userId: string;
  roleId?: string;
  reason?: string;
  deleteMessageSeconds?: number;
}

export interface MemberDeps {
  world: World;
  gatewayUrl(): string;
  allowed: { members: boolean; messageContent: boolean };
  changes: MemberChange[];
  /** What the last bulk overwrite registered. */
  setCommands(commands: unknown[]): void;
}

export function buildMemberRoutes({ world, gatewayUrl, allowed, changes, setCommands }: MemberDeps): Routes {
  const note =
    (type: string): Routes[string] =>
    ({ ids: [guildId, userId = "", roleId], body, reason }) => {
      if (guildId !== world.guildId) throw new Refusal(404, 10_004, "Unknown Guild");
      if (!world.people.has(userId)) throw new Refusal(404, 10_007, "Unknown Member");
      if (userId === world.bot.id) throw new Refusal(403, 50_013, "Missing Permissions");
      const seconds = body["delete_message_seconds"];
      changes.push({
        type,
        userId,
        ...(roleId !== undefined && { roleId }),
        ...(reason !== undefined && { reason }),
        ...(typeof seconds === "number" && { deleteMessageSeconds: seconds }),
      });
      return { status: 204 };
    };
  const inGuild =
    (show: () => unknown): Routes[string] =>
    ({ ids: [guildId] }) => {
      if (guildId !== world.guildId) throw new Refusal(404, 10_004, "Unknown Guild");
      return { status: 200, body: show() };
    };
  return {
    getGatewayBot: () => ({
      status: 200,
      body: {
        url: gatewayUrl(),
        shards: 1,
        session_start_limit: { total: 1000, remaining: 999, reset_after: 14_400_000, max_concurrency: 1 },
      },
    }),
    getCurrentUser: () => ({ status: 200, body: toUser(world.bot) }),
    getApplication: () => {
      const flags =
        (allowed.members ? applicationFlags.members : 0) |
        (allowed.messageContent ? applicationFlags.messageContent : 0);
      return { status: 200, body: { id: world.applicationId, name: "mom", flags, bot: toUser(world.bot) } };
    },
    getGuilds: () => ({ status: 200, body: [{ id: world.guildId, name: "Acme" }] }),
    getGuild: inGuild(() => toGuild(world, { members: false })),
    getGuildChannels: inGuild(() =>
      world
        .guildPlaces()
        .filter(({ type }) => type === 0)
        .map((place) => toChannel(world, place)),
    ),
    getActiveThreads: inGuild(() => ({
      threads: world
        .guildPlaces()
        .filter(({ type }) => type === 11)
        .map((place) => toChannel(world, place)),
      members: [],
    })),
    getChannel: ({ ids: [id = ""] }) => ({ status: 200, body: toChannel(world, findPlace(world, id)) }),
    putCommands: ({ body }) => {
      setCommands(body as unknown as unknown[]);
      return { status: 200, body };
    },
    addRole: note("add-role"),
    removeRole: note("remove-role"),
    kick: note("kick"),
    ban: note("ban"),
  };
}
