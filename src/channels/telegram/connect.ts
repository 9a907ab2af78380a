/** The first contact: asks Telegram until it answers who the bot is. Only a token that is refused is final. */
import type { UserFromGetMe } from "grammy/types";
import type { Clock } from "../../contracts/clock.ts";
import type { Log } from "../../contracts/log.ts";
import { pickBackOffMs } from "../kit/back-off.ts";
import type { HealthBook } from "../kit/health.ts";
import type { TelegramClient } from "./client.ts";
import { formatFailure } from "./failure.ts";
import { isTokenRefused, toLoginError } from "./login.ts";
import { attempt, type CallResult, type Features, learnFeatures } from "./text-calls.ts";

export interface ConnectDeps {
  name: string;
  client: TelegramClient;
  clock: Clock;
  log: Log;
  health: HealthBook;
  features: Features;
  /** A webhook is wanted: what is set stays until it is replaced. */
  keepsWebhook: boolean;
  /** Ends it at once. */
  signal: AbortSignal;
}

/** Undefined when it was ended before. Throws `CHANNEL_LOGIN_REFUSED`. */
export async function connect(deps: ConnectDeps): Promise<UserFromGetMe | undefined> {
  const { name, clock, log, health, signal } = deps;
  for (let tries = 1; !signal.aborted; tries++) {
    const met = await meet(deps);
    if (signal.aborted) return undefined;
    if (met.type === "done") return met.value;
    if (isTokenRefused(met.failure)) {
      health.set("failed", { detail: toLoginError(name).message });
      throw toLoginError(name);
    }
    const detail = formatFailure(met.failure);
    health.set("reconnecting", { detail });
    log.warn("Telegram cannot be reached; trying again", { adapter: name, reason: detail, tries });
    await clock.sleep(pickBackOffMs(tries), signal).catch(() => undefined);
  }
  return undefined;
}

async function meet(deps: ConnectDeps): Promise<CallResult<UserFromGetMe>> {
  const { client, features, keepsWebhook, log, signal } = deps;
  const me = await attempt(() => client.api.getMe(signal as Parameters<typeof client.api.getMe>[0]));
  if (me.type === "failed") return me;
  const clearing = keepsWebhook ? me : removeWebhook(client, log);
  const [webhook] = await Promise.all([clearing, learnFeatures(client, features)]);
  return webhook.type === "failed" ? webhook : me;
}

/** Whoever gives mom the token wants her to have the messages; what waits is kept. */
async function removeWebhook({ api }: TelegramClient, log: Log): Promise<CallResult<unknown>> {
  const info = await attempt(() => api.getWebhookInfo());
  if (info.type === "failed" || !info.value.url) return info;
  log.warn("A webhook was set for this bot; mom takes it away and polls", { host: URL.parse(info.value.url)?.host });
  return attempt(() => api.deleteWebhook({ drop_pending_updates: false }));
}
