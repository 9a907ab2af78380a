/** Which adapter of a config is this terminal; and what cannot be started at all, said before anything is. */
import { join } from "node:path";
import type { MomConfig } from "../app/index.ts";
import { ConfigError } from "../base/errors.ts";
import type { TerminalConfig } from "./terminal-channel.ts";

/** Undefined when the config has other adapters only. Throws `NO_ADAPTERS` and `TERMINAL_TWICE`. */
export function pickTerminal(
  { adapters }: Pick<MomConfig, "adapters">,
  dataDir: string,
): { name: string; config: TerminalConfig } | undefined {
  if (Object.keys(adapters).length === 0) {
    throw new ConfigError(
      "NO_ADAPTERS",
      `${join(dataDir, "config.json")} has no adapters, so nobody could talk to mom.`,
      {
        hint: 'Add one, for example this terminal: mom config set adapters.terminal.type cli; or talk with "mom chat".',
      },
    );
  }
  const found = Object.entries(adapters).flatMap(([name, config]) => (config.type === "cli" ? [{ name, config }] : []));
  if (found.length > 1) {
    const names = found.map(({ name }) => `"${name}"`).join(" and ");
    throw new ConfigError("TERMINAL_TWICE", `The adapters ${names} are all of type "cli", and there is one terminal.`, {
      hint: `Keep one of them: mom config unset adapters.${found[1]?.name}`,
    });
  }
  return found[0];
}
