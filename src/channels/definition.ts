/** What a channel folder gives to the house: its `index.ts` exports one of these. */
import type { AccessRules, ChannelCapabilities, PlatformAdapter } from "../contracts/channel.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";
import type { Terminal } from "./terminal.ts";

export interface ChannelDeps {
  clock: Clock;
  log: Log;
  /** Absent in a process without one; only the terminal channel asks. */
  terminal?: Terminal;
}

export interface ChannelDefinition<Config, Adapter extends PlatformAdapter = PlatformAdapter> {
  /** The `type` in the config. */
  type: string;
  capabilities: ChannelCapabilities;
  /** `config` has passed the catalogue's schema of this type. Connects nothing; throws a coded error when `deps` lack something. */
  createAdapter(name: string, config: Config, deps: ChannelDeps): Adapter;
  /** Who may talk, by the config. */
  rulesOf(config: Config): AccessRules;
}
