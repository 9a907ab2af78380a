/** Who mom is on Slack, and what a refused login means. */
import { ChannelError } from "../../base/errors.ts";
import type { SlackClient } from "./client.ts";
import type { SlackConfig } from "./config.ts";
import { describeRefusal, type SlackFault } from "./fault.ts";

export interface Self {
  userId: string;
  botId: string;
  teamId: string;
  username: string;
  /** `@mom on Acme`. */
  account: string;
  /** Absent: Slack did not say. */
  scopes?: readonly string[];
}

export type WhoAnswer = { type: "known"; self: Self } | SlackFault;

export async function askWhoWeAre(client: SlackClient): Promise<WhoAnswer> {
  const answer = await client.call((web) => web.auth.test());
  if (answer.type !== "ok") return answer;
  const { user_id = "", bot_id = "", team_id = "", user = "", team = "", response_metadata } = answer.value;
  const { scopes } = (response_metadata ?? {}) as { scopes?: string[] };
  const account = `@${user} on ${team}`;
  const self: Self = { userId: user_id, botId: bot_id, teamId: team_id, username: user, account };
  return { type: "known", self: scopes ? { ...self, scopes } : self };
}

/** A token that is plainly of the wrong kind. */
export function findWrongToken({ botToken, appToken }: SlackConfig): string | undefined {
  if (botToken.startsWith("xapp-")) return "botToken is an app-level token (xapp-); a bot token starts with xoxb-";
  if (botToken.startsWith("xoxp-")) return "botToken is a user's token (xoxp-); a bot token starts with xoxb-";
  if (/^xox[bp]-/.test(appToken)) return "appToken is a bot's or user's token; an app-level token starts with xapp-";
  return undefined;
}

export const tokenKindFix = "Set botToken to the one that starts with xoxb-, and appToken to the one with xapp-.";

const fixes = {
  bot: 'Install the app under "OAuth & Permissions" of its settings, copy the bot token from there, and set it as botToken.',
  app: 'Make an app-level token with the scope connections:write under "Basic Information" of the app (Socket Mode switched on), and set it as appToken.',
};

export interface Refusal {
  message: string;
  fix: string;
}

/** Why mom is not let in, in words; undefined for what may pass by itself. `token`: the one that was used. */
export function explainRefusal(fault: SlackFault, token: "bot" | "app"): Refusal | undefined {
  if (fault.type === "login") {
    return { message: `Slack does not accept the ${token} token (${fault.error})`, fix: fixes[token] };
  }
  return fault.type === "refused" ? { message: describeRefusal(fault), fix: fixes[token] } : undefined;
}

/** The same as an error. */
export function toLoginError(fault: SlackFault, token: "bot" | "app"): ChannelError | undefined {
  const refusal = explainRefusal(fault, token);
  if (!refusal) return undefined;
  const { message, fix: hint } = refusal;
  const isRight = fault.type === "refused" && fault.error === "missing_scope";
  return isRight
    ? new ChannelError("CHANNEL_RIGHT_MISSING", `${message}.`, { hint })
    : new ChannelError("CHANNEL_LOGIN_REFUSED", `${message}.`, { hint });
}

/** Throws for tokens that cannot be right, before anybody is asked. */
export function ensureTokenKinds(config: SlackConfig): void {
  const wrong = findWrongToken(config);
  if (wrong === undefined) return;
  throw new ChannelError("CHANNEL_LOGIN_REFUSED", `Slack: ${wrong}.`, { hint: tokenKindFix });
}
