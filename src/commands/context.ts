/** `/context`: what the next request to the model is made of, and how much of its window that takes. */

import { formatCount } from "../base/format-values.ts";
import type { ContextReport } from "../contracts/agent.ts";
import type { Command } from "../contracts/command.ts";
import type { CommandDeps } from "./command-deps.ts";
import { ensureNoArguments } from "./text/arguments.ts";
import { toCode } from "./text/foreign-text.ts";
import { formatNumber } from "./text/format-values.ts";

const mostTools = 60;

export function buildContextCommand({ agent, channelContext }: Pick<CommandDeps, "agent" | "channelContext">): Command {
  const command: Command = {
    name: "context",
    summary: "what the model is sent with your next message, part by part",
    immediate: true,
    async run({ session, turn, args }) {
      ensureNoArguments(command, args);
      return formatReport(await agent.describeContext(session, channelContext(turn.adapter)));
    },
  };
  return command;
}

function formatReport(report: ContextReport): string {
  const { model, sections, tools, messages, tokens } = report;
  const names = tools.slice(0, mostTools).map(({ name }) => toCode(name, 60));
  const more = tools.length > mostTools ? ` and ${tools.length - mostTools} more` : "";
  return [
    `The next request to ${toCode(model)}: ${formatFill(report)}`,
    `- system prompt: ${formatCount(tokens.system)} tokens`,
    ...sections.map(({ name, text }) => `  - ${toCode(name, 60)}: ${formatCount(text.length)} characters`),
    `- tools: ${formatCount(tokens.tools)} tokens, ${tools.length === 0 ? "none" : `${names.join(", ")}${more}`}`,
    `- conversation: ${formatCount(tokens.messages)} tokens in ${formatNumber(messages, "message")}`,
    "",
    "Tokens are estimates with a safety margin. `/compact` shortens the conversation, `/new` begins another.",
  ].join("\n");
}

/** `about 12.3k of 200.0k tokens (6 %)`. */
export function formatFill({ tokens, contextWindow }: ContextReport): string {
  const total = tokens.system + tokens.tools + tokens.messages;
  const share = contextWindow > 0 ? ` (${Math.round((100 * total) / contextWindow)} %)` : "";
  return `about ${formatCount(total)} of ${formatCount(contextWindow)} tokens${share}`;
}
