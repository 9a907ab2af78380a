/** `mom skills`: what mom has learnt to do, what is wrong with it, and new skills from this machine. Runs none of them. */
import { Command } from "commander";
import type { Skill } from "../../contracts/workspace.ts";
import { dataOption } from "../data-dir.ts";
import { type Column, formatTable } from "../format-table.ts";
import type { CliIo } from "../io.ts";
import { note, printJson, printLines } from "../print.ts";
import { checkSkills, type SkillFinding } from "../skills/check-skills.ts";
import { type InstallOptions, installFromPath } from "../skills/install.ts";
import { findSkill, loadSkills } from "../skills/open-skills.ts";

interface Options {
  data?: string;
  json?: true;
  all?: true;
}

export function buildSkillsCommand(io: CliIo): Command {
  const skills = new Command("skills").description("Shows, checks and installs the skills that every chat can use.");
  const add = (name: string, description: string) =>
    skills
      .command(name)
      .description(description)
      .option(...dataOption);
  add("list", "list the skills that can be used")
    .option("--all", "also those that need something this machine lacks")
    .option("--json", "print JSON")
    .action((options: Options) => list(io, options));
  add("info", "show everything about one skill")
    .argument("<name>", "as `mom skills list` prints it")
    .option("--json", "print JSON")
    .action((name: string, options: Options) => showInfo(io, name, options));
  add("check", "say what is missing, broken or suspicious, and what to do; exits with 1 if anything is")
    .argument("[name]", "only this one")
    .option("--json", "print JSON")
    .action((name: string | undefined, options: Options) => check(io, name, options));
  add("install", "copy a skill from a folder of this machine into the data directory; nothing of it is run")
    .argument("<path>", "a folder with a SKILL.md, or one Markdown file")
    .option("--force", "replace one of the same name")
    .option("--yes", "do not ask, whatever the scan finds")
    .action((path: string, options: InstallOptions) => installFromPath(io, path, options));
  return skills;
}

async function list(io: CliIo, options: Options): Promise<void> {
  const { skills, diagnostics } = await loadSkills(io, options.data);
  const shown = options.all ? skills : skills.filter(({ missing }) => missing.length === 0);
  if (options.json) return printJson(io, shown);
  if (shown.length > 0) io.stdout.write(`${formatTable(columns, shown).join("\n")}\n`);
  else note(io, "there are no skills that can be used");
  const left = skills.length - shown.length;
  if (left > 0) note(io, `${left} more ${left === 1 ? "needs" : "need"} something: mom skills list --all`);
  const broken = diagnostics.filter(({ level }) => level === "error").length;
  if (broken > 0) note(io, `${broken} cannot be read: mom skills check`);
}

const columns: Column<Skill>[] = [
  { title: "NAME", toText: ({ name, emoji }) => (emoji === undefined ? name : `${name} ${emoji}`) },
  { title: "FROM", toText: ({ source }) => source },
  { title: "STATE", toText: describeState },
  { title: "DESCRIPTION", toText: ({ description }) => cut(description, 80) },
];

function describeState({ missing, warnings, isModelInvocable, isUserInvocable }: Skill): string {
  if (missing.length > 0) return `needs ${cut(missing.map(({ what }) => what).join(", "), 40)}`;
  if (warnings.length > 0) return "suspicious";
  if (!isModelInvocable) return isUserInvocable ? "by /skill: only" : "off";
  return "ready";
}

function cut(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars - 1).trimEnd()}…`;
}

async function showInfo(io: CliIo, name: string, options: Options): Promise<void> {
  const { skills } = await loadSkills(io, options.data);
  const skill = findSkill(skills, name);
  if (options.json) return printJson(io, skill);
  printLines(io, formatInfo(skill));
}

function formatInfo(skill: Skill): string[] {
  const line = (title: string, text: string | undefined) => (text ? [`${title}: ${text}`] : []);
  const yes = (is: boolean) => (is ? "yes" : "no");
  return [
    ...line("name", skill.emoji === undefined ? skill.name : `${skill.name} ${skill.emoji}`),
    ...line("description", skill.description),
    ...line("file", skill.path),
    ...line("from", skill.source),
    ...line("used by the model", yes(skill.isModelInvocable)),
    ...line(`called with /skill:${skill.name}`, yes(skill.isUserInvocable)),
    ...(skill.isPinned ? ["stays in the conversation: yes"] : []),
    ...line("tags", skill.tags.join(", ")),
    ...line("homepage", skill.homepage),
    ...line("key in", skill.primaryEnv),
    ...line("also denied as", skill.skillKey),
    ...skill.missing.map(({ what, install }) => `needs: ${what}${install === undefined ? "" : ` (${install})`}`),
    ...skill.warnings.map((warning) => `suspicious: ${warning}`),
  ];
}

const signs = { ok: "ok   ", note: "note ", wrong: "WRONG" };

async function check(io: CliIo, name: string | undefined, options: Options): Promise<void> {
  const findings = await checkSkills(await loadSkills(io, options.data), name);
  const isWrong = findings.some(({ level }) => level === "wrong");
  if (options.json) printJson(io, { ok: !isWrong, findings });
  else if (findings.length === 0) note(io, "there are no skills");
  else printLines(io, findings.flatMap(formatFinding));
  if (isWrong) io.exit(1);
}

function formatFinding({ subject, level, detail, fix }: SkillFinding): string[] {
  return [`${signs[level]}  ${subject}: ${detail}`, ...(fix === undefined ? [] : [`       fix: ${fix}`])];
}
