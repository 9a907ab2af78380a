/** Discord's own tools (spec 2.6): roles, and moderation, which is off unless the config opens it. */
import { Type } from "typebox";
import { defineChannelTool } from "../kit/channel-tool.ts";
import type { DiscordAdapter } from "./adapter.ts";

const guildId = Type.String({ description: "Server id" });
const userId = Type.String({ description: "Member id" });
const roleId = Type.String({ description: "Role id" });
const reason = Type.Optional(Type.String({ description: "For the audit log" }));
/** They are about a member of a server, not about a chat. */
const noChat = () => undefined;

export const discordTools = [
  defineChannelTool({
    name: "discord_add_role",
    label: "add a role",
    description: "Give a server member a role.",
    parameters: Type.Object({ guildId, userId, roleId }),
    gate: "roles",
    isOutward: true,
    chatOf: noChat,
    async run({ actions }: DiscordAdapter, params) {
      await actions.addRole(params.guildId, params.userId, params.roleId);
      return `Member ${params.userId} has the role ${params.roleId} now.`;
    },
  }),
  defineChannelTool({
    name: "discord_remove_role",
    label: "take a role away",
    description: "Take a role from a server member.",
    parameters: Type.Object({ guildId, userId, roleId }),
    gate: "roles",
    isOutward: true,
    chatOf: noChat,
    async run({ actions }: DiscordAdapter, params) {
      await actions.removeRole(params.guildId, params.userId, params.roleId);
      return `Member ${params.userId} no longer has the role ${params.roleId}.`;
    },
  }),
  defineChannelTool({
    name: "discord_kick_member",
    label: "kick a member",
    description: "Remove a member from a server; they may come back.",
    parameters: Type.Object({ guildId, userId, reason }),
    gate: "moderation",
    isOutward: true,
    chatOf: noChat,
    async run({ actions }: DiscordAdapter, params) {
      await actions.kick(params.guildId, params.userId, params.reason);
      return `Member ${params.userId} was removed.`;
    },
  }),
  defineChannelTool({
    name: "discord_ban_member",
    label: "ban a member",
    description: "Ban a member from a server.",
    parameters: Type.Object({
      guildId,
      userId,
      deleteMessageDays: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 7, description: "Also delete what they wrote in these last days" }),
      ),
      reason,
    }),
    gate: "moderation",
    isOutward: true,
    chatOf: noChat,
    async run({ actions }: DiscordAdapter, { guildId: guild, userId: user, ...options }) {
      await actions.ban(guild, user, options);
      return `Member ${user} is banned.`;
    },
  }),
];
