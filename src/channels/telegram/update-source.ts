/** Where Telegram's updates come from: mom asks for them (`polling.ts`), or Telegram calls her (`webhook.ts`). */
import type { Update } from "grammy/types";
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import type { TelegramClient } from "./client.ts";
import type { Trouble } from "./login.ts";

export interface UpdateSource {
  /** Resolves when updates come, or when it is stopped; goes on trying until then. */
  start(): Promise<void>;
  /** At once. */
  stop(): void;
}

export interface UpdateSourceDeps {
  client: TelegramClient;
  clock: Clock;
  log: Log;
  updateTypes: readonly Exclude<keyof Update, "update_id">[];
  /** See `Inbound`. */
  take(update: Update): Promise<boolean>;
  /** All is well. May be called again. */
  onConnected(): void;
  /** Told at every failure; `attempt` counts those in a row. */
  onFailed(why: Trouble, attempt: number): void;
}
