/** Slack as a channel: definition and capabilities. */
import type { ChannelDefinition } from "../definition.ts";
import { createSlackAdapter, type SlackAdapter } from "./adapter.ts";
import { slackCapabilities } from "./capabilities.ts";
import type { SlackConfig } from "./config.ts";
import { slackLogin } from "./login-check.ts";
import { slackTools } from "./tools.ts";

export const slackChannel: ChannelDefinition<SlackConfig, SlackAdapter> = {
  type: "slack",
  capabilities: slackCapabilities,
  createAdapter: (name, config, deps) => createSlackAdapter({ name, ...deps }, config),
  login: slackLogin,
  tools: slackTools,
};
