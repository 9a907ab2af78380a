/** Who mom is on Discord, asked for before she connects: her own id tells her messages from others'. */
import type { API } from "@discordjs/core";
import { ApplicationFlags } from "discord-api-types/v10";

export interface Self {
  id: string;
  username: string;
  applicationId: string;
  /** Which of the privileged intents are switched on for the application. */
  may: { readMembers: boolean; readContent: boolean };
}

export async function fetchSelf(api: API, signal?: AbortSignal): Promise<Self> {
  const options = signal ? { signal } : {};
  const [user, application] = await Promise.all([api.users.getCurrent(options), api.applications.getCurrent(options)]);
  const has = (...flags: ApplicationFlags[]) => flags.some((flag) => ((application.flags ?? 0) & flag) !== 0);
  return {
    id: user.id,
    username: user.username,
    applicationId: application.id,
    may: {
      readMembers: has(ApplicationFlags.GatewayGuildMembers, ApplicationFlags.GatewayGuildMembersLimited),
      readContent: has(ApplicationFlags.GatewayMessageContent, ApplicationFlags.GatewayMessageContentLimited),
    },
  };
}
