/** How a login of Slack's is got and tried out: for `mom init` and `mom doctor`. Nothing is connected. */
import { errorText, MomError } from "../../base/errors.ts";
import { within } from "../../base/within.ts";
import type { ChannelDefinition, ChannelDeps, LoginReport } from "../definition.ts";
import { createSlackClient, type SlackClient } from "./client.ts";
import type { SlackConfig } from "./config.ts";
import { type SlackFault, toSendResult } from "./fault.ts";
import { askWhoWeAre, explainRefusal, findWrongToken, tokenKindFix } from "./login.ts";
import { ensureRights, listMissingRights } from "./rights.ts";

const limitMs = 9_000;

type CheckDeps = Pick<ChannelDeps, "clock" | "log">;

export const slackLogin: NonNullable<ChannelDefinition<SlackConfig>["login"]> = {
  async check(config, deps) {
    const wrong = findWrongToken(config);
    if (wrong !== undefined) return { type: "failed", message: wrong, fix: tokenKindFix };
    return withClient(config.botToken, config, deps, async (bot) =>
      withClient(config.appToken, config, deps, (app) =>
        within(deps.clock, limitMs, checkBoth(bot, app), (reason) => unreachable(reason)),
      ),
    );
  },
};

async function withClient(
  botToken: string,
  config: SlackConfig,
  deps: CheckDeps,
  use: (client: SlackClient) => Promise<LoginReport>,
): Promise<LoginReport> {
  const client = createSlackClient(deps, { ...config, botToken });
  try {
    return await use(client);
  } finally {
    client.stop();
  }
}

async function checkBoth(bot: SlackClient, app: SlackClient): Promise<LoginReport> {
  const who = await askWhoWeAre(bot);
  if (who.type !== "known") return failed(who, "bot");
  // Whether a connection would be given; nobody connects to it.
  const opened = await app.call((web) => web.apps.connections.open({}));
  if (opened.type !== "ok") return failed(opened, "app");
  const { account, scopes } = who.self;
  try {
    ensureRights(scopes);
  } catch (error) {
    return { type: "failed", message: errorText(error), fix: (error instanceof MomError && error.hint) || "" };
  }
  return { type: "ok", account, warnings: listMissingRights(scopes) };
}

const failed = (fault: SlackFault, token: "bot" | "app"): LoginReport => {
  const refusal = explainRefusal(fault, token);
  return refusal ? { type: "failed", ...refusal } : unreachable(toSendResult(fault).reason);
};

const unreachable = (reason: string): LoginReport => ({
  type: "failed",
  message: `Slack could not be asked: ${reason}`,
  fix: "Check the network, and apiUrl if it is set.",
});
