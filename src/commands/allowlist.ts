/**
 * `/allowlist`: what an admin has allowed for good, for the agent that answers here. Shows it, adds a command beforehand, by the same
 * rules as `/approve … always`, and takes one away.
 */
import { formatRule } from "../base/format-rule.ts";
import { formatMoment } from "../base/format-values.ts";
import type { StoredRule } from "../contracts/approval.ts";
import type { Command, CommandCall } from "../contracts/command.ts";
import type { CommandDeps } from "./command-deps.ts";
import { badArguments, pickChoice, splitFirst } from "./text/arguments.ts";
import { toCode } from "./text/foreign-text.ts";

type Deps = Pick<CommandDeps, "approvals" | "suggestRules">;

export function buildAllowlistCommand(deps: Deps): Command {
  const { approvals } = deps;
  const command: Command = {
    name: "allowlist",
    usage: "[add <command>|remove <id>]",
    summary: "commands that I may run without asking, allowed for good",
    adminOnly: true,
    immediate: true,
    async run(call) {
      const { args, session, turn } = call;
      const [verb, rest] = splitFirst(args);
      if (verb === "") return formatList(await approvals.rules(session.agentId));
      if (pickChoice(command, verb, ["add", "remove"]) === "add") {
        if (rest === "") throw badArguments(command, "Say which command, as it would be run");
        return add(deps, call, rest);
      }
      if (rest === "") throw badArguments(command, "Say which rule, by its id");
      const isRemoved = await approvals.removeRule(session.agentId, rest.toLowerCase());
      // An attempt that was cut off may have taken it away.
      if (isRemoved || turn.attempt > 1) return `The rule ${toCode(rest, 40)} is gone; I will ask again.`;
      throw badArguments(command, `There is no rule ${toCode(rest, 40)}; \`/allowlist\` shows the ones there are`);
    },
  };
  return command;
}

async function add({ approvals, suggestRules }: Deps, { session, turn }: CommandCall, typed: string): Promise<string> {
  const suggested = await suggestRules(typed);
  if (suggested.type === "none") {
    return `Not added: ${toCode(typed, 200)} cannot be allowed for good, because ${suggested.why}. Only plain commands can: a program of the system and its words.`;
  }
  const by = `${turn.adapter}:${turn.message.sender.id}`;
  const added: StoredRule[] = [];
  for (const rule of suggested.rules) added.push(await approvals.addRule(session.agentId, rule, by));
  return ["Allowed for good, from now on without asking:", ...added.map(formatLine)].join("\n");
}

function formatList(rules: readonly StoredRule[]): string {
  if (rules.length === 0) {
    return "Nothing is allowed for good. `/allowlist add <command>` does that, or `/approve <id> always` when I ask.";
  }
  return ["Allowed for good:", ...rules.map(formatLine)].join("\n");
}

const formatLine = (rule: StoredRule) =>
  `- **${rule.id}** ${toCode(formatRule(rule), 1000)} (by ${toCode(rule.by, 80)}, ${formatMoment(rule.createdAt)})`;
