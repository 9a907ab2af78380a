/** What Discord's own tools do: roles and moderation of a server's members. Whether they may is decided before. */
import type { API } from "@discordjs/core";
import { ChannelError } from "../../base/errors.ts";
import { toActionError } from "./errors.ts";
import { isId } from "./format.ts";

export interface DiscordActions {
  addRole(guildId: string, userId: string, roleId: string): Promise<void>;
  removeRole(guildId: string, userId: string, roleId: string): Promise<void>;
  kick(guildId: string, userId: string, reason?: string): Promise<void>;
  /** `deleteMessageDays`: how much of what they wrote goes too. */
  ban(guildId: string, userId: string, options: { deleteMessageDays?: number; reason?: string }): Promise<void>;
}

const daySeconds = 86_400;
/** Discord keeps it in the audit log. */
const maxReason = 512;

export function createActions(api: API): DiscordActions {
  const run = async (ids: readonly string[], call: () => Promise<unknown>): Promise<void> => {
    const wrong = ids.find((id) => !isId(id));
    if (wrong !== undefined) {
      throw new ChannelError("CHANNEL_ACTION_FAILED", `"${wrong.slice(0, 40)}" is no id of Discord's.`, {
        hint: "Ids are long numbers; names do not work.",
      });
    }
    await call().catch((error: unknown) => {
      throw toActionError(error);
    });
  };
  const because = (reason: string | undefined) => (reason === undefined ? {} : { reason: reason.slice(0, maxReason) });
  return {
    addRole: (guildId, userId, roleId) =>
      run([guildId, userId, roleId], () => api.guilds.addRoleToMember(guildId, userId, roleId)),
    removeRole: (guildId, userId, roleId) =>
      run([guildId, userId, roleId], () => api.guilds.removeRoleFromMember(guildId, userId, roleId)),
    kick: (guildId, userId, reason) =>
      run([guildId, userId], () => api.guilds.removeMember(guildId, userId, because(reason))),
    ban: (guildId, userId, { deleteMessageDays = 0, reason }) => {
      const body = { delete_message_seconds: deleteMessageDays * daySeconds };
      return run([guildId, userId], () => api.guilds.banUser(guildId, userId, body, because(reason)));
    },
  };
}
