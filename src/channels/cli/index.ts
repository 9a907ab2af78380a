/** The terminal as a channel: definition and capabilities. */
import { ChannelError } from "../../base/errors.ts";
import type { ChannelDefinition, ChannelDeps } from "../definition.ts";
import { type CliAdapter, createCliAdapter } from "./adapter.ts";
import { cliCapabilities } from "./capabilities.ts";
import type { CliConfig } from "./config.ts";

export const cliChannel = {
  type: "cli",
  capabilities: cliCapabilities,
  createAdapter(
    name: string,
    config: CliConfig,
    { clock, log, terminal }: Pick<ChannelDeps, "clock" | "log" | "terminal">,
  ): CliAdapter {
    if (!terminal) {
      throw new ChannelError("TERMINAL_MISSING", `The adapter "${name}" needs a terminal, and this process has none.`, {
        hint: "Start mom in a terminal, or remove the adapter from the configuration of the service.",
      });
    }
    return createCliAdapter({ name, clock, log, terminal }, config);
  },
} satisfies ChannelDefinition<CliConfig, CliAdapter>;
