/** Slack's slice of the configuration, and what the agent may do there beside talking. Imported by the catalogue: nothing heavy. */
import { z } from "zod";
import { buildAccessFields, showFields } from "../kit/access-config.ts";
import { apiUrl } from "../kit/api-url.ts";
import type { Gates } from "../kit/channel-settings.ts";

export const slackConfigSchema = z.strictObject({
  type: z.literal("slack"),
  botToken: z
    .string()
    .min(1)
    .meta({ secret: true })
    .describe('The bot token: starts with xoxb-, found under "OAuth & Permissions" of the app.'),
  appToken: z
    .string()
    .min(1)
    .meta({ secret: true })
    .describe(
      'The app-level token with the scope connections:write: starts with xapp-, found under "Basic Information" of the app.',
    ),
  apiUrl: apiUrl.exactOptional(),
  replies: z
    .enum(["thread", "channel"])
    .default("thread")
    .describe(
      "Where mom answers in a channel: in a thread below the message, or in the channel itself. What was said in a thread is answered there.",
    ),
  ...buildAccessFields({
    groupsDefault: "everyone",
    userId: {
      pattern: /^[UWB][A-Z0-9]+$/,
      what: "a member id such as U012AB3CD (in Slack: profile, ⋮, Copy member ID)",
    },
    chatId: { pattern: /^[CGD][A-Z0-9]+$/, what: "a channel id such as C012AB3CD (in Slack: channel name, About)" },
  }),
  ...showFields,
});

export type SlackConfig = z.output<typeof slackConfigSchema>;

/** `channels.slack.actions`. */
export const slackGates = {
  reactions: { label: "reactions", covers: "react", tools: ["slack_add_reaction"] },
  pins: { label: "pins", covers: "pin", tools: ["slack_pin_message"] },
} satisfies Gates;
