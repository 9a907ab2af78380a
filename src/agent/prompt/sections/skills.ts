/** The index of skills: name, description and where to read the rest. Bodies are read on demand (spec 3.9). */
import type { Skill } from "../../../contracts/workspace.ts";
import { toBoundedLines } from "../in-order.ts";
import { toLine, toPathText } from "../plain-line.ts";
import { hasTool, type PromptFacts } from "../prompt-facts.ts";

const maxSkills = 200;
const fewestSkills = 5;
const maxNameChars = 64;
/** All descriptions together; with many skills each one gets less. */
const descriptionBudgetChars = 24_000;
const descriptionChars = { least: 120, most: 1024 };

export function skills(facts: PromptFacts): string | undefined {
  const offered = (facts.skills ?? []).filter(isOffered);
  if (offered.length === 0 || !hasTool(facts, "read")) return undefined;
  const budget = Math.min(descriptionBudgetChars, facts.skillsMaxChars ?? descriptionBudgetChars);
  const maxChars = Math.max(
    descriptionChars.least,
    Math.min(descriptionChars.most, Math.floor(budget / offered.length)),
  );
  const lines = toBoundedLines(offered, {
    toKey: ({ name }) => name,
    toLine: ({ name, description, path }) =>
      `- ${toLine(name, maxNameChars)}: ${toLine(description, maxChars)} (${toPathText(path)})`,
    maxLines: Math.max(fewestSkills, Math.min(maxSkills, Math.floor(budget / descriptionChars.least))),
  });
  return [
    "Instructions for particular work. When one fits the request, read its file first and follow it; otherwise read none. Paths in a skill start at its folder.",
    ...lines,
  ].join("\n");
}

const isOffered = (skill: Skill) => skill.isModelInvocable && skill.missing.length === 0;
