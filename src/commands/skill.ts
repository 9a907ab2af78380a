/** `/skill`: which skills there are in this chat and how they stand. They are called with `/skill:name`, by the agent. */
import { pickNearest } from "../base/nearest.ts";
import type { Command } from "../contracts/command.ts";
import type { Skill, SkillSet } from "../contracts/workspace.ts";
import type { CommandDeps } from "./command-deps.ts";
import { badArguments } from "./text/arguments.ts";
import { toCode } from "./text/foreign-text.ts";
import { formatNumber } from "./text/format-values.ts";

const mostShown = 50;

export function buildSkillCommand({
  workspaceOf,
  channelFolder,
}: Pick<CommandDeps, "workspaceOf" | "channelFolder">): Command {
  const command: Command = {
    name: "skill",
    usage: "[name]",
    summary: "list the skills, or describe one; `/skill:name text` uses it",
    immediate: true,
    async run({ session, turn, args }) {
      const set = await workspaceOf(session.agentId).skills(channelFolder(turn.route.channel));
      return args === "" ? formatList(set) : describe(pick(command, set.skills, args));
    },
  };
  return command;
}

function pick(command: Command, skills: readonly Skill[], typed: string): Skill {
  const name = typed.toLowerCase();
  const found = skills.find((skill) => skill.name === name);
  if (found) return found;
  const nearest = pickNearest(
    name,
    skills.map((skill) => skill.name),
  );
  const guess = nearest === undefined ? "" : ` (did you mean \`${nearest}\`?)`;
  throw badArguments(command, `There is no skill ${toCode(typed, 70)}${guess}`);
}

function formatList({ skills, diagnostics }: SkillSet): string {
  if (skills.length === 0 && diagnostics.length === 0) return "There are no skills here.";
  return [
    ...skills
      .slice(0, mostShown)
      .map((skill) => `- ${toCode(skill.name, 70)} ${toCode(skill.description, 100)}${formatState(skill)}`),
    ...(skills.length > mostShown ? [`- … and ${skills.length - mostShown} more`] : []),
    ...(diagnostics.length > 0
      ? [
          `- ${formatNumber(diagnostics.length, "problem")} with skill files; \`mom skills check\` on the host tells which`,
        ]
      : []),
    "",
    "`/skill:name text` uses one, `/skill name` describes it.",
  ].join("\n");
}

function formatState(skill: Skill): string {
  const states = [
    ...(skill.missing.length > 0 ? [`lacks ${skill.missing.map(({ what }) => toCode(what, 80)).join(", ")}`] : []),
    ...(skill.isUserInvocable ? [] : ["for my own use only"]),
    ...(skill.isModelInvocable ? [] : ["only when called"]),
    ...(skill.warnings.length > 0 ? [`**${formatNumber(skill.warnings.length, "warning")}**`] : []),
  ];
  return states.length === 0 ? "" : ` (${states.join("; ")})`;
}

function describe(skill: Skill): string {
  const { name, description, source, homepage, missing, warnings, isUserInvocable } = skill;
  return [
    `${toCode(name, 70)}${formatState(skill)}: ${toCode(description, 1024)}`,
    `- from: ${source}`,
    ...(homepage === undefined ? [] : [`- home page: ${toCode(homepage)}`]),
    ...missing.map(
      ({ what, install }) =>
        `- lacks ${toCode(what, 80)}${install === undefined ? "" : `; to get it: ${toCode(install)}`}`,
    ),
    ...warnings.map((warning) => `- warning: ${toCode(warning)}`),
    ...(isUserInvocable && missing.length === 0 ? [`- use: ${toCode(`/skill:${name} text`)}`] : []),
  ].join("\n");
}
