/** `/commands`: everything that a slash can call here, with its usage: commands, prompt templates, skills. */
import type { Command } from "../contracts/command.ts";
import type { CommandDeps } from "./command-deps.ts";
import { ensureNoArguments, formatUsage } from "./text/arguments.ts";
import { toCode, toLine } from "./text/foreign-text.ts";

/** Of each kind; workspaces can hold any number. */
const mostShown = 50;

export function buildCommandsCommand(
  list: (adapterType: string) => Command[],
  { workspaceOf, channelFolder }: Pick<CommandDeps, "workspaceOf" | "channelFolder">,
): Command {
  const command: Command = {
    name: "commands",
    summary: "every command with its usage, and the prompts and skills of this chat",
    immediate: true,
    async run({ adapterType, args, session, turn }) {
      ensureNoArguments(command, args);
      const workspace = workspaceOf(session.agentId);
      const templates = (await workspace.templates()).map(
        ({ name, argumentHint, description }) =>
          `- ${toCode(`/${name} ${argumentHint ?? ""}`, 100)} ${toPlain(description)}`,
      );
      const { skills } = await workspace.skills(channelFolder(turn.route.channel));
      const callable = skills
        .filter(({ isUserInvocable, missing }) => isUserInvocable && missing.length === 0)
        .map(({ name, description }) => `- ${toCode(`/skill:${name}`)} ${toPlain(description)}`);
      return [
        "**Commands** (* admins only)",
        ...list(adapterType).map(formatCommand),
        ...formatGroup("Prompts", templates),
        ...formatGroup("Skills", callable),
      ].join("\n");
    },
  };
  return command;
}

function formatCommand(command: Command): string {
  const aliases = command.aliases ? ` (also ${command.aliases.map((alias) => `\`/${alias}\``).join(", ")})` : "";
  return `- ${formatUsage(command)}${command.adminOnly ? "*" : ""} ${command.summary}${aliases}`;
}

function formatGroup(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const more = lines.length > mostShown ? [`- … and ${lines.length - mostShown} more`] : [];
  return ["", `**${title}**`, ...lines.slice(0, mostShown), ...more];
}

/** A description is a file's words: shown as what it is, not as part of the list. */
const toPlain = (description: string) => (toLine(description, 120) === "" ? "" : toCode(description, 120));
