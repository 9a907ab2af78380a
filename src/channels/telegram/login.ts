/** Getting in: who the bot is, and what stands in its way. For the adapter's start and for `mom init` and `mom doctor`. */
import type { UserFromGetMe } from "grammy/types";
import { ChannelError } from "../../base/errors.ts";
import { within } from "../../base/within.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { LoginField, LoginReport, LoginWarning } from "../definition.ts";
import { createTelegramClient, type TelegramClient } from "./client.ts";
import { type TelegramConfig, tokenPattern } from "./config.ts";
import { type Failure, formatFailure } from "./failure.ts";
import { attempt } from "./text-calls.ts";

export const loginFields: readonly LoginField[] = [
  {
    key: "botToken",
    label: "Bot token",
    hint: "Write /newbot to @BotFather in Telegram; the token is in its answer.",
    isSecret: true,
    pattern: tokenPattern,
  },
  {
    key: "admins",
    label: "Your user id",
    hint: "Write anything to @userinfobot in Telegram; it answers with your id.",
    isSecret: false,
    pattern: /^\d{1,20}$/,
    isList: true,
  },
];

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

/** Why a poll was refused, with what to do. */
export function explainPollFailure(failure: Failure): {
  state: "failed" | "reconnecting";
  detail: string;
  fix?: string;
} {
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

export const accountOf = ({ username }: UserFromGetMe): string => `@${username}`;

/** `ChannelDefinition.login.check`. */
export function checkLogin(config: TelegramConfig, { clock }: { clock: Clock }): Promise<LoginReport> {
  const client = createTelegramClient(config);
  const unreached = (reason: string): LoginReport => ({
    type: "failed",
    message: `Telegram could not be asked: ${reason}`,
    fix: "Look at the network, and at apiUrl if it is set.",
  });
  return within(clock, checkWithinMs, ask(client, unreached), unreached).finally(() => client.close());
}

async function ask({ api }: TelegramClient, unreached: (reason: string) => LoginReport): Promise<LoginReport> {
  const me = await attempt(() => api.getMe());
  if (me.type === "failed") {
    if (!isTokenRefused(me.failure)) return unreached(formatFailure(me.failure));
    return { type: "failed", message: "Telegram does not accept this bot token.", fix: tokenFix };
  }
  const webhook = await attempt(() => api.getWebhookInfo());
  const address = webhook.type === "done" ? webhook.value.url : undefined;
  return {
    type: "ok",
    account: accountOf(me.value),
    warnings: [
      ...(me.value.can_read_all_group_messages ? [] : [privacyWarning]),
      ...(address ? [toWebhookWarning(address)] : []),
    ],
  };
}

function toWebhookWarning(address: string): LoginWarning {
  return {
    message: `A webhook of another program is set for this bot (${URL.parse(address)?.host ?? "unknown host"}).`,
    fix: "mom removes it when she starts. If that program is still needed, give mom a bot of her own.",
  };
}
