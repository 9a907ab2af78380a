/** Telegram's slice of the configuration, and its gates. The catalogue imports it, so it loads nothing heavy. */
import { z } from "zod";
import { buildAccessFields, showFields } from "../kit/access-config.ts";
import { apiUrl } from "../kit/api-url.ts";
import type { Gates } from "../kit/channel-settings.ts";

/** What @BotFather gives out. */
export const tokenPattern = /^\d{6,12}:[\w-]{30,64}$/;

/** What Telegram allows in a secret token, and long enough that nobody guesses it. */
const secretPattern = /^[A-Za-z0-9_-]{16,256}$/;

const webhook = z.strictObject({
  url: z
    .string()
    .refine(isWebhookUrl, "a whole address that starts with https://, without password or #")
    .describe(
      "Where Telegram reaches mom: an https address of a reverse proxy that leads to /hooks/telegram-<adapter's name> at mom's gateway.",
    ),
  secret: z
    .string()
    .regex(secretPattern, "16 to 256 letters, digits, underscores and dashes")
    .meta({ secret: true })
    .describe("Made up by you. Telegram sends it along with every call, and mom takes none without it."),
});

export const telegramConfigSchema = z.strictObject({
  type: z.literal("telegram"),
  botToken: z
    .string()
    .regex(tokenPattern, "a token as @BotFather gives it, such as 123456789:AAE…")
    .meta({ secret: true })
    .describe("The bot's token, from @BotFather."),
  apiUrl: apiUrl.optional(),
  webhook: webhook
    .optional()
    .describe("Telegram calls mom, instead of being asked by her. Needs the gateway. Absent: long polling."),
  ...buildAccessFields({
    // Anybody can add a bot to a group of theirs.
    groupsDefault: [],
    userId: { pattern: /^-?\d{1,20}$/, what: "a user id, digits only, such as 123456789 (not a @username)" },
    chatId: {
      pattern: /^-\d{1,20}(?:\/\d{1,12})?$/,
      what: "a chat id such as -1001234567890, or a topic's: -1001234567890/12",
    },
  }),
  ...showFields,
});

export type TelegramConfig = z.infer<typeof telegramConfigSchema>;

/** `channels.telegram.actions` (spec 2.6). */
export const telegramGates: Gates = {
  polls: { label: "polls", covers: "poll", tools: ["telegram_send_poll"] },
  pinning: { label: "pins", covers: "pin", tools: ["telegram_pin_message"] },
  editing: { label: "edits", covers: "edit", tools: ["telegram_edit_message"] },
  deletion: { label: "deletions", covers: "delete", tools: ["telegram_delete_message"] },
  reactions: { label: "reactions", covers: "react", tools: ["telegram_react"] },
  stickers: { label: "stickers", tools: ["telegram_send_sticker"] },
  threads: { label: "topics", covers: "thread" },
};

/** mom is meant to answer what is not addressed to her, at least somewhere. */
export const wantsEverything = ({ groups }: TelegramConfig): boolean =>
  !groups.requireMention || Object.values(groups.chats).some(({ requireMention }) => requireMention === false);

function isWebhookUrl(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === "https:" && url.username === "" && url.password === "" && url.hash === "";
}
