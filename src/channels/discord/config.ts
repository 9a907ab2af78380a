/** Discord's slice of the configuration, and the gates of what the agent may do there. */
import { z } from "zod";
import { buildAccessFields, showFields } from "../kit/access-config.ts";
import { apiUrl } from "../kit/api-url.ts";
import type { Gates } from "../kit/channel-settings.ts";

const idShape = {
  pattern: /^\d{15,20}$/,
  what: "a Discord id such as 175928847299117063 (switch on Developer Mode, then right-click and copy the id)",
};

export const discordConfigSchema = z.strictObject({
  type: z.literal("discord"),
  botToken: z
    .string()
    .min(1)
    .meta({ secret: true })
    .describe("The bot's token, from the page Bot of the application in Discord's developer portal."),
  apiUrl: apiUrl.optional(),
  nativeCommands: z
    .boolean()
    .default(true)
    .describe("Whether mom's commands are in Discord's own menu, which opens when somebody types a slash."),
  ...buildAccessFields({ groupsDefault: "everyone", userId: idShape, chatId: idShape }),
  ...showFields,
});

export type DiscordConfig = z.infer<typeof discordConfigSchema>;

export const discordGates: Gates = {
  reactions: { label: "reactions", covers: "react" },
  pins: { label: "pins", covers: "pin" },
  polls: { label: "polls", covers: "poll" },
  threads: { label: "threads", covers: "thread" },
  editing: { label: "edits", covers: "edit" },
  deletion: { label: "deletions", covers: "delete" },
  roles: { label: "role changes", tools: ["discord_add_role", "discord_remove_role"] },
  moderation: {
    label: "moderation actions",
    isOffUnlessSet: true,
    tools: ["discord_kick_member", "discord_ban_member"],
  },
};
