/** Discord as a channel: definition and capabilities. */
import type { ChannelDefinition } from "../definition.ts";
import { createDiscordAdapter, type DiscordAdapter } from "./adapter.ts";
import { discordCapabilities } from "./capabilities.ts";
import type { DiscordConfig } from "./config.ts";
import { checkLogin } from "./login.ts";
import { discordTools } from "./tools.ts";

export const discordChannel: ChannelDefinition<DiscordConfig, DiscordAdapter> = {
  type: "discord",
  capabilities: discordCapabilities,
  createAdapter: createDiscordAdapter,
  login: { check: checkLogin },
  tools: discordTools,
};
