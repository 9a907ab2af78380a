/** `/usage`: what the models have cost. Everybody sees their own and this session's; the whole house only an admin. */

import { formatCost, formatCount, formatDay } from "../base/format-values.ts";
import type { Command, CommandCall } from "../contracts/command.ts";
import type { UsageTotal } from "../contracts/store.ts";
import type { CommandDeps } from "./command-deps.ts";
import { ensureNoArguments } from "./text/arguments.ts";
import { toCode } from "./text/foreign-text.ts";
import { formatNumber } from "./text/format-values.ts";

type Deps = Pick<CommandDeps, "usage" | "clock">;

const mostModels = 20;

export function buildUsageCommand(deps: Deps): Command {
  const command: Command = {
    name: "usage",
    summary: "tokens and cost: this conversation, today, this month",
    immediate: true,
    async run(call) {
      ensureNoArguments(command, call.args);
      return [...(await formatOwn(deps, call)), ...(call.isAdmin ? await formatAll(deps) : [])].join("\n");
    },
  };
  return command;
}

async function formatOwn({ usage }: Deps, { session, turn }: CommandCall): Promise<string[]> {
  const sender = `${turn.adapter}:${turn.message.sender.id}`;
  const { sessionKey } = session;
  const [hereToday, hereMonth, youToday, youMonth] = await Promise.all([
    usage.spent({ sessionKey }, "day"),
    usage.spent({ sessionKey }, "month"),
    usage.spent({ sender }, "day"),
    usage.spent({ sender }, "month"),
  ]);
  const { inputTokens, outputTokens, totalTokens, cost } = session;
  return [
    `- this conversation: ${formatSpent({ cost, tokens: totalTokens })} (${formatCount(inputTokens)} in, ${formatCount(outputTokens)} out)`,
    `- this session: ${formatSpent(hereToday)} today, ${formatSpent(hereMonth)} this month`,
    `- you: ${formatSpent(youToday)} today, ${formatSpent(youMonth)} this month`,
  ];
}

async function formatAll({ usage, clock }: Deps): Promise<string[]> {
  const today = formatDay(clock.now());
  const monthStart = `${today.slice(0, 8)}01`;
  const [days, models] = await Promise.all([usage.totals("day", monthStart), usage.totals("model", monthStart)]);
  const dearest = models.toSorted((a, b) => b.cost - a.cost || sumTokens(b) - sumTokens(a));
  return [
    `- everything: ${formatSpent(sum(days.filter(({ key }) => key === today)))} today, ${formatSpent(sum(days))} this month`,
    ...(models.length > 0 ? ["", "By model, this month:"] : []),
    ...dearest.slice(0, mostModels).map(formatModel),
    ...(dearest.length > mostModels ? [`- … and ${dearest.length - mostModels} more`] : []),
  ];
}

function formatModel(total: UsageTotal): string {
  const { key, calls, input, output, cacheRead, cacheWrite, cost } = total;
  const cached =
    cacheRead + cacheWrite > 0 ? `, cache ${formatCount(cacheRead)} read, ${formatCount(cacheWrite)} written` : "";
  return `- ${toCode(key)}: ${formatCost(cost)}, ${formatNumber(calls, "call")}, ${formatCount(input)} in, ${formatCount(output)} out${cached}`;
}

const formatSpent = ({ cost, tokens }: { cost: number; tokens: number }) =>
  `${formatCost(cost)}, ${formatCount(tokens)} tokens`;

const sumTokens = ({ input, output, cacheRead, cacheWrite }: UsageTotal) => input + output + cacheRead + cacheWrite;

const sum = (totals: readonly UsageTotal[]) => ({
  cost: totals.reduce((total, each) => total + each.cost, 0),
  tokens: totals.reduce((total, each) => total + sumTokens(each), 0),
});
