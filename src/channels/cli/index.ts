/** The terminal as a channel: definition and capabilities. */
import { ChannelError } from "../../base/errors.ts";
import type { ChannelDefinition } from "../definition.ts";
import { type CliAdapter, createCliAdapter } from "./adapter.ts";
import { cliCapabilities } from "./capabilities.ts";
import type { CliConfig } from "./config.ts";
import { localUserId } from "./inbound.ts";

export const cliChannel: ChannelDefinition<CliConfig, CliAdapter> = {
  type: "cli",
  capabilities: cliCapabilities,
  createAdapter(name, config, { clock, log, terminal }) {
    if (!terminal) {
      throw new ChannelError("TERMINAL_MISSING", `The adapter "${name}" needs a terminal, and this process has none.`, {
        hint: "Start mom in a terminal, or remove the adapter from the configuration of the service.",
      });
    }
    return createCliAdapter({ name, clock, log, terminal }, config);
  },
  // Whoever sits at the terminal started mom, so that person is the owner.
  rulesOf: () => ({ admins: [localUserId], dm: "none" }),
};
