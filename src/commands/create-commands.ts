/**
 * Slash commands: which one a text calls. Inbound asks to tell a command from a message, `answer` to run it. Each command is
 * a file of its own.
 */
import { pickNearest } from "../base/nearest.ts";
import type { Command, Commands, FoundCommand } from "../contracts/command.ts";
import { buildAllowlistCommand } from "./allowlist.ts";
import { buildApproveCommand } from "./approve.ts";
import { buildChangelogCommand } from "./changelog.ts";
import type { CommandDeps } from "./command-deps.ts";
import { buildCompactCommand } from "./compact.ts";
import { buildContextCommand } from "./context.ts";
import { buildCronCommand } from "./cron.ts";
import { buildExportCommand } from "./export.ts";
import { buildForkCommand } from "./fork.ts";
import { buildHelpCommand } from "./help.ts";
import { buildHotkeysCommand } from "./hotkeys.ts";
import { buildCommandsCommand } from "./list-commands.ts";
import { buildLoginCommand } from "./login.ts";
import { buildLogoutCommand } from "./logout.ts";
import { buildMemoryCommand } from "./memory.ts";
import { buildModelCommand } from "./model.ts";
import { buildNameCommand } from "./name.ts";
import { buildNewCommand } from "./new.ts";
import { buildQueueCommand } from "./queue.ts";
import { buildReloadCommand, buildRestartCommand } from "./reload.ts";
import { buildResumeCommand } from "./resume.ts";
import { buildRuleCommand } from "./rule.ts";
import { buildSessionCommand } from "./session.ts";
import { buildSettingsCommand } from "./settings.ts";
import { buildSkillCommand } from "./skill.ts";
import { buildStatusCommand } from "./status.ts";
import { buildStopCommand } from "./stop.ts";
import { buildSubagentsCommand } from "./subagents.ts";
import { buildThinkCommand } from "./think.ts";
import { buildTreeCommand } from "./tree.ts";
import { buildUsageCommand } from "./usage.ts";
import { buildVerboseCommand } from "./verbose.ts";
import { buildWhoamiCommand } from "./whoami.ts";

export function createCommands(deps: CommandDeps): Commands {
  const commands: Command[] = [];
  const list = (adapterType: string) =>
    commands.filter((command) => !command.onlyOn || command.onlyOn.includes(adapterType));
  commands.push(buildHelpCommand(list), buildCommandsCommand(list, deps), ...buildAll(deps));
  return {
    list,
    async find(text, { adapterType, agentId }) {
      const trimmed = text.trim();
      // The agent knows which skills there are for whom, and says so if there is no such one.
      if (/^\/skill:/i.test(trimmed)) return { type: "prompt" };
      // Only a bare word counts, so that a path like /etc/hosts is just text.
      const call = /^\/([a-z0-9][a-z0-9_-]*)(?:\s+([\s\S]*))?$/i.exec(trimmed);
      const name = call?.[1]?.toLowerCase();
      if (name === undefined) return { type: "none" };
      const known = list(adapterType);
      const command = known.find((each) => each.name === name || each.aliases?.includes(name));
      if (command) return { type: "command", command, args: call?.[2]?.trim() ?? "" };
      const { templates, skills } = await deps.listPrompts(agentId);
      if (templates.some((each) => each.toLowerCase() === name)) return { type: "prompt" };
      if (skills.includes(name)) return { type: "unknown", name, nearest: `skill:${name}` };
      return toUnknown(name, [...known.flatMap((each) => [each.name, ...(each.aliases ?? [])]), ...templates]);
    },
  };
}

function toUnknown(name: string, names: readonly string[]): FoundCommand {
  // `/2 cups of flour` is no command with a typing error.
  if (/^\d/.test(name)) return { type: "none" };
  const nearest = pickNearest(name, names);
  return { type: "unknown", name, ...(nearest !== undefined && { nearest }) };
}

/** In the order in which help lists them: the conversation, how it is answered, what is known of it, the house. */
function buildAll(deps: CommandDeps): Command[] {
  return [
    buildNewCommand(deps),
    buildStopCommand(deps),
    buildCompactCommand(deps),
    buildResumeCommand(deps),
    buildForkCommand(deps),
    buildTreeCommand(deps),
    buildNameCommand(deps),
    buildExportCommand(deps),
    buildModelCommand(deps),
    buildThinkCommand(deps),
    buildQueueCommand(deps),
    buildVerboseCommand(deps),
    buildRuleCommand(deps),
    buildApproveCommand(deps),
    buildAllowlistCommand(deps),
    buildCronCommand(deps),
    buildSkillCommand(deps),
    buildMemoryCommand(deps),
    buildSubagentsCommand(deps),
    buildStatusCommand(deps),
    buildSessionCommand(deps),
    buildContextCommand(deps),
    buildUsageCommand(deps),
    buildWhoamiCommand(),
    buildHotkeysCommand(),
    buildChangelogCommand(deps),
    buildSettingsCommand(deps),
    buildLoginCommand(deps),
    buildLogoutCommand(deps),
    buildReloadCommand(deps),
    buildRestartCommand(deps),
  ];
}
