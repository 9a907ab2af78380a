/** How a login is got, and what Discord says of it: for `mom init` and `mom doctor`. */
import { errorText } from "../../base/errors.ts";
import { within } from "../../base/within.ts";
import type { ChannelDeps, LoginReport, LoginWarning } from "../definition.ts";
import { createClient } from "./client.ts";
import type { DiscordConfig } from "./config.ts";
import { isLoginRefused, toFailure } from "./errors.ts";
import { discordLoginFields, portalHint } from "./login-fields.ts";
import { fetchSelf, type Self } from "./self.ts";

const limitMs = 10_000;
/** Of a thousand a day. */
const fewStarts = 50;

export function checkLogin(config: DiscordConfig, { clock }: Pick<ChannelDeps, "clock">): Promise<LoginReport> {
  const looksWrong = explainToken(config.botToken);
  if (looksWrong !== undefined) return Promise.resolve(failed("That is not a bot token.", looksWrong));
  const tooLate = (reason: string) => failed(`Discord could not be asked: ${reason}.`, "Is this machine online?");
  return within(clock, limitMs, ask(config), tooLate);
}

const failed = (message: string, fix: string): LoginReport => ({ type: "failed", message, fix });

async function ask(config: DiscordConfig): Promise<LoginReport> {
  const client = createClient(config);
  try {
    const self = await fetchSelf(client.api);
    const { session_start_limit: starts } = await client.api.gateway.getBot();
    return { type: "ok", account: `@${self.username}`, warnings: [...listWarnings(self), ...warnOfStarts(starts)] };
  } catch (error) {
    if (isLoginRefused(error)) {
      return failed("Discord does not accept this bot token.", `${portalHint}: "Reset Token" gives a new one.`);
    }
    return failed(
      `Discord could not be asked: ${toFailure(error).reason || errorText(error)}.`,
      "Is this machine online?",
    );
  } finally {
    client.close();
  }
}

function listWarnings({ may }: Self): LoginWarning[] {
  const content: LoginWarning = {
    message: "The Message Content Intent is off: Discord will not let mom connect.",
    fix: `${portalHint}: switch on "Message Content Intent" under Privileged Gateway Intents.`,
  };
  const members: LoginWarning = {
    message: "The Server Members Intent is off: mom knows only people who have written something.",
    fix: `${portalHint}: switch on "Server Members Intent", if she should know everybody by name.`,
  };
  return [...(may.readContent ? [] : [content]), ...(may.readMembers ? [] : [members])];
}

function warnOfStarts({ remaining, reset_after }: { remaining: number; reset_after: number }): LoginWarning[] {
  if (remaining >= fewStarts) return [];
  const hours = Math.ceil(reset_after / 3_600_000);
  return [
    {
      message: `Discord lets this bot connect only ${remaining} more times.`,
      fix: `Wait ${hours} h; something connects far too often.`,
    },
  ];
}

/** What people paste instead of the token. Undefined: it looks like one. */
function explainToken(token: string): string | undefined {
  const where = `${portalHint}: the token is what "Reset Token" shows.`;
  if (/^bot\s/i.test(token)) return 'Leave out the word "Bot" before it.';
  if (/\s/.test(token)) return "There is a space in it; copy it again.";
  if (/^\d{15,20}$/.test(token)) return `This is the application's id. ${where}`;
  if (/^[0-9a-f]{64}$/i.test(token)) return `This is the application's public key. ${where}`;
  if (/^[\w-]{32}$/.test(token)) return `This looks like the client secret. ${where}`;
  return discordLoginFields[0]?.pattern.test(token) ? undefined : `It has three parts with dots between. ${where}`;
}
