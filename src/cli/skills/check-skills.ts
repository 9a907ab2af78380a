/** What `mom skills check` finds: broken files, needs that are not met, what the scan warns of, changes since installing. */
import { basename, dirname } from "node:path";
import type { Skill, SkillDiagnostic, SkillSet } from "../../contracts/workspace.ts";
import { loadSkillInstaller } from "../../workspace/index.ts";
import { findSkill } from "./open-skills.ts";

export interface SkillFinding {
  /** The skill's name; of a file that is none, its path. */
  subject: string;
  /** `note`: nothing is wrong by itself, as when another skill of the name wins. */
  level: "ok" | "note" | "wrong";
  detail: string;
  fix?: string;
}

/** `name`: only that one. Throws `SKILL_UNKNOWN` when nothing of that name is there, not even broken. */
export async function checkSkills({ skills, diagnostics }: SkillSet, name?: string): Promise<SkillFinding[]> {
  const told = diagnostics.filter(({ path }) => name === undefined || isNamed(path, name)).map(describeDiagnostic);
  const chosen = name === undefined ? skills : skills.filter((skill) => skill.name === name);
  if (name !== undefined && told.length + chosen.length === 0) findSkill(skills, name);
  return [...told, ...(await Promise.all(chosen.map(checkOne))).flat()];
}

function isNamed(path: string, name: string): boolean {
  return basename(path) === name || basename(path, ".md") === name || basename(dirname(path)) === name;
}

function describeDiagnostic({ path, level, message }: SkillDiagnostic): SkillFinding {
  return { subject: path, level: level === "error" ? "wrong" : "note", detail: message };
}

async function checkOne(skill: Skill): Promise<SkillFinding[]> {
  const { name, source, path } = skill;
  const findings: SkillFinding[] = [
    ...skill.missing.map(({ what, install }) => ({
      subject: name,
      level: "wrong" as const,
      detail: `is not offered: it needs ${what}`,
      ...(install !== undefined && { fix: install }),
    })),
    ...skill.warnings.map((warning) => ({
      subject: name,
      level: "wrong" as const,
      detail: `${basename(path)}, ${warning}`,
      fix: `read ${path}, and remove it unless you trust it`,
    })),
    ...(source === "managed" ? await checkContent(skill) : []),
  ];
  return findings.length > 0 ? findings : [{ subject: name, level: "ok", detail: `ready (${source})` }];
}

async function checkContent({ name, path }: Skill): Promise<SkillFinding[]> {
  if (basename(path) !== "SKILL.md") return [];
  const { checkInstalled } = await loadSkillInstaller();
  if ((await checkInstalled(dirname(path))) !== "changed") return [];
  const fix = "install it again with --force, or remove .mom-skill.json there if the change is yours";
  return [{ subject: name, level: "wrong", detail: "has been changed since it was installed", fix }];
}
