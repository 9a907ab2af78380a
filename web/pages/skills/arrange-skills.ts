/** Which skills the page shows: those that need somebody's eye first. */
import type { SkillSummary } from "../../../src/gateway/protocol/index.ts";

export type SkillsShown = "all" | "usable" | "unusable" | "warnings";

export function arrangeSkills(skills: readonly SkillSummary[], search: string, shown: SkillsShown): SkillSummary[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return skills
    .filter((skill) => isShown(skill, shown))
    .filter(({ name, description, source, path }) => {
      const text = [name, description, source, path].join("\n").toLowerCase();
      return words.every((word) => text.includes(word));
    })
    .sort((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name));
}

function isShown({ unusable, warnings }: SkillSummary, shown: SkillsShown): boolean {
  if (shown === "usable") return unusable === undefined;
  if (shown === "unusable") return unusable !== undefined;
  return shown === "all" || warnings.length > 0;
}

const rank = ({ unusable, warnings }: SkillSummary): number =>
  warnings.length > 0 ? 0 : unusable === undefined ? 1 : 2;
