/**
 * Every channel type that mom knows: its config schema at hand, its code loaded only when an adapter of the type is
 * configured. Adding a platform is a folder and one line here.
 */
import { cliConfigSchema } from "./cli/config.ts";

export const channelCatalog = {
  cli: { configSchema: cliConfigSchema, load: async () => (await import("./cli/index.ts")).cliChannel },
};
