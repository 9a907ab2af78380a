/** Getting in: who the bot is, and what stands in its way. For the adapter's start and for `mom init` and `mom doctor`. */
import type { UserFromGetMe, WebhookInfo } from "grammy/types";
import { ChannelError } from "../../base/errors.ts";
import { within } from "../../base/within.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { LoginReport, LoginWarning } from "../definition.ts";
import { createTelegramClient, type TelegramClient } from "./client.ts";
import type { TelegramConfig } from "./config.ts";
import { type Failure, formatFailure } from "./failure.ts";
import { attempt } from "./text-calls.ts";

const tokenFix = "Ask @BotFather for the token (/mybots, the bot, API Token) and put it in botToken.";
const checkWithinMs = 10_000;

export const privacyWarning: LoginWarning = {
  message: "Privacy mode is on: in groups mom sees only commands, mentions and replies to her.",
  fix: "Write /setprivacy to @BotFather, choose the bot, then Disable; remove the bot from each group and add it again.",
};

/** The token is wrong, or of a bot that is gone: a malformed one is not even found. */
export const isTokenRefused = (failure: Failure): boolean =>
  failure.type === "refused" && (failure.code === 401 || failure.code === 404);

export const toLoginError = (name: string): ChannelError =>
  new ChannelError("CHANNEL_LOGIN_REFUSED", `Telegram does not accept the bot token of the adapter "${name}".`, {
    hint: tokenFix,
  });

export const revoked = {
  detail: "Telegram no longer accepts the bot's token: it was revoked, or the bot deleted.",
  fix: tokenFix,
};

/** Why no updates come, with what to do. */
export interface Trouble {
  state: "failed" | "reconnecting";
  detail: string;
  fix?: string;
}

/** Why a poll was refused. */
export function explainPollFailure(failure: Failure): Trouble {
  if (isTokenRefused(failure)) return { state: "failed", ...revoked };
  if (failure.type !== "refused" || failure.code !== 409)
    return { state: "reconnecting", detail: formatFailure(failure) };
  if (/webhook/.test(failure.description)) {
    return {
      state: "reconnecting",
      detail: "A webhook was set for this bot, so Telegram gives its messages to that address and not to mom.",
      fix: "Switch off whatever set the webhook and start mom again, or give mom a bot of her own.",
    };
  }
  return {
    state: "reconnecting",
    detail: "Another process reads this bot's messages with the same token; Telegram serves only one.",
    fix: "Stop the other one, or make mom a bot of her own with @BotFather. mom goes on trying.",
  };
}

/** Why the webhook could not be set, or asked for. */
export function explainWebhookFailure(failure: Failure): Trouble {
  if (isTokenRefused(failure)) return { state: "failed", ...revoked };
  if (failure.type !== "refused" || failure.code !== 400)
    return { state: "reconnecting", detail: formatFailure(failure) };
  return {
    state: "failed",
    detail: `Telegram does not take the address in webhook.url: ${failure.description}`,
    fix: "It must be reachable from the internet over https, on port 443, 80, 88 or 8443, with a certificate that is known.",
  };
}

export const webhookTaken: Trouble = {
  state: "reconnecting",
  detail: "Another program has set a webhook of its own for this bot, so Telegram gives its messages to that one.",
  fix: "Switch off whatever set it and start mom again, or give mom a bot of her own.",
};

/** `error`: in Telegram's words. */
export const undelivered = (error: string, waiting: number): Trouble => ({
  state: "reconnecting",
  detail: `Telegram has ${waiting} updates for mom that it cannot deliver: ${error}`,
  fix: "Look at the reverse proxy: webhook.url must lead to /hooks/telegram-<adapter's name> at mom's gateway, headers included.",
});

export const accountOf = ({ username }: UserFromGetMe): string => `@${username}`;

/** `ChannelDefinition.login.check`. */
export function checkLogin(config: TelegramConfig, { clock }: { clock: Clock }): Promise<LoginReport> {
  const client = createTelegramClient(config);
  const unreached = (reason: string): LoginReport => ({
    type: "failed",
    message: `Telegram could not be asked: ${reason}`,
    fix: "Look at the network, and at apiUrl if it is set.",
  });
  const asking = ask(client, config.webhook?.url, unreached);
  return within(clock, checkWithinMs, asking, unreached).finally(() => client.close());
}

async function ask(
  { api }: TelegramClient,
  ownUrl: string | undefined,
  unreached: (reason: string) => LoginReport,
): Promise<LoginReport> {
  const me = await attempt(() => api.getMe());
  if (me.type === "failed") {
    if (!isTokenRefused(me.failure)) return unreached(formatFailure(me.failure));
    return { type: "failed", message: "Telegram does not accept this bot token.", fix: tokenFix };
  }
  const webhook = await attempt(() => api.getWebhookInfo());
  return {
    type: "ok",
    account: accountOf(me.value),
    warnings: [
      ...(me.value.can_read_all_group_messages ? [] : [privacyWarning]),
      ...(webhook.type === "done" ? findWebhookWarning(webhook.value, ownUrl) : []),
    ],
  };
}

function findWebhookWarning(info: WebhookInfo, ownUrl: string | undefined): LoginWarning[] {
  const { url, pending_update_count: waiting, last_error_message: error } = info;
  if (!url) return [];
  if (url === ownUrl) {
    if (waiting === 0 || error === undefined) return [];
    const { detail, fix } = undelivered(error, waiting);
    return [{ message: detail, fix: fix ?? "" }];
  }
  const message = `A webhook of another program is set for this bot (${URL.parse(url)?.host ?? "unknown host"}).`;
  const fix = `mom ${ownUrl === undefined ? "removes" : "replaces"} it when she starts. If that program is still needed, give mom a bot of her own.`;
  return [{ message, fix }];
}
