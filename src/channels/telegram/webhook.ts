/**
 * Updates that Telegram brings itself, to an address of the gateway's. It is told 200 when the update is on disk, and brings
 * it again after any other answer. The address stays set when mom stops: Telegram keeps what it cannot deliver for a day.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { Update, WebhookInfo } from "grammy/types";
import { within } from "../../base/within.ts";
import type { Webhooks } from "../../contracts/gateway.ts";
import { pickBackOffMs } from "../kit/back-off.ts";
import type { TelegramConfig } from "./config.ts";
import { explainWebhookFailure, type Trouble, undelivered, webhookTaken } from "./login.ts";
import { attempt } from "./text-calls.ts";
import type { UpdateSource, UpdateSourceDeps } from "./update-source.ts";

export interface WebhookDeps extends UpdateSourceDeps {
  /** Of the adapter. */
  name: string;
  webhooks: Webhooks;
  config: NonNullable<TelegramConfig["webhook"]>;
}

/** An update is a message with its context; nothing of Telegram's comes near it. */
const maxBytes = 1024 * 1024;
/** Telegram and most proxies hang up after a minute. What takes longer goes on, and is there when it is brought again. */
const answerWithinMs = 50_000;
/** Calls of Telegram's side by side; it brings one update of a chat at a time. Fewer than the gateway lets through. */
const mostAtOnce = 20;
/** Updates that wait to be taken, also those whose call has been answered meanwhile. */
const mostTaken = 1_000;
const lookEveryMs = 60_000;
const secretHeader = "x-telegram-bot-api-secret-token";

export function createWebhook(deps: WebhookDeps): UpdateSource {
  const { name, client, clock, log, webhooks, config, onConnected, onFailed } = deps;
  const stopped = new AbortController();
  const first = Promise.withResolvers<void>();
  const isSecret = createSecretCheck(config.secret);
  /** Updates that are being taken, by their number: one that is brought again meanwhile waits for the same answer. */
  const taking = new Map<number, Promise<boolean>>();
  const ended = Promise.withResolvers<boolean>();
  let heard = 0;
  let close = () => {};

  const take = (update: Update): Promise<boolean> => {
    const id = update.update_id;
    const known = taking.get(id);
    if (known) return known;
    const taken = deps.take(update).finally(() => taking.delete(id));
    taking.set(id, taken);
    return taken;
  };
  async function handle({ body }: { body: Buffer }): Promise<{ status: number }> {
    const update = parseUpdate(body);
    if (!update) return { status: 400 };
    if (stopped.signal.aborted || taking.size >= mostTaken) return { status: 503 };
    heard++;
    onConnected();
    const isTaken = await within(clock, answerWithinMs, Promise.race([take(update), ended.promise]), () => false);
    return { status: isTaken ? 200 : 500 };
  }
  const pause = (ms: number) => clock.sleep(ms, stopped.signal).catch(() => undefined);

  async function announce(): Promise<void> {
    for (let tries = 1; !stopped.signal.aborted; tries++) {
      const { url, secret } = config;
      const asked = { url, secret_token: secret, allowed_updates: deps.updateTypes, max_connections: mostAtOnce };
      const result = await attempt(() => client.api.setWebhook(asked));
      if (stopped.signal.aborted) return;
      if (result.type === "done") return onConnected();
      onFailed(explainWebhookFailure(result.failure), tries);
      const wait = result.failure.type === "refused" ? result.failure.retryAfterMs : undefined;
      await pause(wait ?? pickBackOffMs(tries));
    }
  }
  /** What is wrong although nobody says so: asked after a silence. */
  async function look(): Promise<Trouble | undefined> {
    const before = heard;
    await pause(lookEveryMs);
    if (stopped.signal.aborted || heard !== before) return undefined;
    const info = await attempt(() => client.api.getWebhookInfo());
    if (info.type === "failed") return explainWebhookFailure(info.failure);
    if (!info.value.url) {
      log.warn("The webhook of this bot is gone; it is set again");
      await announce();
      return undefined;
    }
    return heard === before ? findTrouble(info.value, config.url) : undefined;
  }
  async function run(): Promise<void> {
    await announce();
    first.resolve();
    for (let failures = 0; !stopped.signal.aborted; ) {
      const trouble = await look();
      if (stopped.signal.aborted) return;
      failures = trouble ? failures + 1 : 0;
      if (trouble) onFailed(trouble, failures);
      else onConnected();
    }
  }
  return {
    async start() {
      // Before Telegram is told of it: it may call at once.
      close = webhooks.open(`telegram-${name}`, {
        maxBytes,
        isAllowed: (headers) => isSecret(headers[secretHeader]),
        handle,
      });
      void run()
        .catch((error: unknown) => log.error("Looking after Telegram's webhook has ended", { error }))
        .finally(() => first.resolve());
      await first.promise;
    },
    stop() {
      stopped.abort();
      close();
      ended.resolve(false);
    },
  };
}

/** Takes the same time whatever is wrong with what was given. */
function createSecretCheck(secret: string): (given: string | undefined) => boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  const wanted = digest(secret);
  return (given) => given !== undefined && timingSafeEqual(digest(given), wanted);
}

function parseUpdate(body: Buffer): Update | undefined {
  try {
    const value: { update_id?: unknown } | null = JSON.parse(body.toString("utf8"));
    // What is in it is read as carefully as what a poll brings.
    return Number.isSafeInteger(value?.update_id) ? (value as Update) : undefined;
  } catch {
    return undefined;
  }
}

function findTrouble(info: WebhookInfo, ownUrl: string): Trouble | undefined {
  if (info.url !== ownUrl) return webhookTaken;
  const { pending_update_count: waiting, last_error_message: error } = info;
  return waiting > 0 && error !== undefined ? undelivered(error, waiting) : undefined;
}
