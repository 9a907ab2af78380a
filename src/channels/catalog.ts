/**
 * Every channel type that mom knows: its config schema, gates and rules at hand, its code loaded only when an adapter of the
 * type is configured. Adding a platform is a folder and one entry here.
 */
import { cliConfigSchema, ownerRules } from "./cli/config.ts";
import { discordConfigSchema, discordGates } from "./discord/config.ts";
import { discordLoginFields } from "./discord/login-fields.ts";
import { toAccessRules } from "./kit/access-config.ts";
import { slackConfigSchema, slackGates } from "./slack/config.ts";
import { slackLoginFields } from "./slack/login-fields.ts";
import { telegramConfigSchema, telegramGates } from "./telegram/config.ts";
import { telegramLoginFields } from "./telegram/login-fields.ts";
import { webchatConfigSchema, webchatRules } from "./webchat/config.ts";

export const channelCatalog = {
  cli: {
    label: "Terminal",
    configSchema: cliConfigSchema,
    gates: {},
    loginFields: [],
    rulesOf: () => ownerRules,
    load: async () => (await import("./cli/index.ts")).cliChannel,
  },
  slack: {
    label: "Slack",
    configSchema: slackConfigSchema,
    gates: slackGates,
    loginFields: slackLoginFields,
    rulesOf: toAccessRules,
    load: async () => (await import("./slack/index.ts")).slackChannel,
  },
  discord: {
    label: "Discord",
    configSchema: discordConfigSchema,
    gates: discordGates,
    loginFields: discordLoginFields,
    rulesOf: toAccessRules,
    load: async () => (await import("./discord/index.ts")).discordChannel,
  },
  telegram: {
    label: "Telegram",
    configSchema: telegramConfigSchema,
    gates: telegramGates,
    loginFields: telegramLoginFields,
    rulesOf: toAccessRules,
    load: async () => (await import("./telegram/index.ts")).telegramChannel,
  },
  webchat: {
    label: "Web chat",
    configSchema: webchatConfigSchema,
    gates: {},
    loginFields: [],
    rulesOf: () => webchatRules,
    load: async () => (await import("./webchat/index.ts")).webchatChannel,
  },
};
