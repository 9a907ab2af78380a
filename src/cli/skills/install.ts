/** `mom skills install`: a skill from a path of this machine into the data directory, after a look at all of it. */
import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createSystemClock } from "../../base/clock.ts";
import { StoreError, UsageError } from "../../base/errors.ts";
import { buildLayout } from "../../store/index.ts";
import { loadSkillInstaller } from "../../workspace/index.ts";
import { findDataDir } from "../data-dir.ts";
import type { CliIo } from "../io.ts";
import { note, printLines } from "../print.ts";
import { createPrompter } from "../prompter.ts";

export interface InstallOptions {
  data?: string;
  force?: true;
  yes?: true;
}

/** Runs nothing of it. Throws when it is not usable, there already, or not confirmed. */
export async function installFromPath(io: CliIo, given: string, options: InstallOptions): Promise<void> {
  const { skillsDir } = buildLayout(await findDataDir(io, options.data));
  const from = resolve(io.cwd, given);
  const { readSkillPackage, installSkill } = await loadSkillInstaller();
  const skill = await readSkillPackage(from);
  if (skill.type === "absent") {
    throw new UsageError("SKILL_SOURCE_MISSING", `There is nothing at ${from}.`, {
      hint: "Name a folder with a SKILL.md, or one Markdown file. What is elsewhere must be fetched first.",
    });
  }
  if (skill.type === "refused") {
    throw new StoreError("SKILL_INVALID", `${from} is no skill that can be installed:\n${skill.problems.join("\n")}`, {
      hint: "Mend it there and install it again; `mom skills info make-a-skill` names the file that says how one is written.",
    });
  }
  const force = options.force === true;
  const isThere = (await stat(join(skillsDir, skill.name)).catch(() => undefined)) !== undefined;
  if (isThere && !force) throw buildExists(skill.name);
  if (skill.warnings.length > 0) await confirm(io, skill.name, skill.warnings, options.yes === true);
  const done = await installSkill(skill, { skillsDir, from, nowMs: createSystemClock().now(), force });
  if (done.type === "exists") throw buildExists(skill.name);
  printLines(io, [`installed ${skill.name} in ${done.folder}`, `sha256 ${skill.sha256}`]);
}

const buildExists = (name: string) =>
  new StoreError("SKILL_EXISTS", `There is a skill "${name}" already.`, {
    hint: "Look at it with `mom skills info`; --force replaces the one in the data directory.",
  });

async function confirm(io: CliIo, name: string, warnings: readonly string[], isSure: boolean): Promise<void> {
  note(io, `the skill "${name}" has content that has been used to harm:`);
  for (const warning of warnings) note(io, `  ${warning}`);
  if (isSure) return;
  const prompter = createPrompter(io);
  try {
    const answer = await prompter.ask("Have you read it, and install it all the same? [y/N]");
    if (/^\s*y(?:es)?\s*$/i.test(answer)) return;
  } finally {
    prompter.close();
  }
  throw new StoreError("SKILL_NOT_CONFIRMED", `The skill "${name}" is not installed.`, {
    hint: "Read the lines named above; --yes installs it without a question.",
  });
}
