/** Telegram as a channel: definition and capabilities. */
import type { ChannelDefinition } from "../definition.ts";
import { createTelegramAdapter, type TelegramAdapter } from "./adapter.ts";
import { telegramCapabilities } from "./capabilities.ts";
import type { TelegramConfig } from "./config.ts";
import { checkLogin } from "./login.ts";
import { telegramTools } from "./tools.ts";

export const telegramChannel: ChannelDefinition<TelegramConfig, TelegramAdapter> = {
  type: "telegram",
  capabilities: telegramCapabilities,
  createAdapter: createTelegramAdapter,
  login: { check: checkLogin },
  tools: telegramTools,
};
