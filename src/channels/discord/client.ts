/** The library's REST client, tamed: it retries nothing and waits for nothing, because mom has queues of her own for that. */
import { API } from "@discordjs/core";
import { REST } from "@discordjs/rest";
import type { DiscordConfig } from "./config.ts";

export interface DiscordClient {
  rest: REST;
  api: API;
  /** Leaves no timer behind. */
  close(): void;
}

const timeoutMs = 15_000;

export function createClient({ botToken, apiUrl }: Pick<DiscordConfig, "botToken" | "apiUrl">): DiscordClient {
  const rest = new REST({
    version: "10",
    ...(apiUrl !== undefined && { api: apiUrl.replace(/\/+$/, "") }),
    // Its retries come at once, also after a 5xx that may have acted.
    retries: 0,
    timeout: timeoutMs,
    // Otherwise one chat that is over its limit holds the call for as long as Discord says.
    rejectOnRateLimit: () => true,
  }).setToken(botToken);
  return {
    rest,
    api: new API(rest),
    close() {
      rest.clearHashSweeper();
      rest.clearHandlerSweeper();
    },
  };
}
