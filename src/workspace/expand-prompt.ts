/** What a person means by `/name args` (a prompt template) or `/skill:name args`, after the built-in commands had their turn. */
import { errorText } from "../base/errors.ts";
import { pickNearest } from "../base/nearest.ts";
import { toPrintable } from "../base/printable.ts";
import type { ExpandedPrompt, Skill } from "../contracts/workspace.ts";
import type { SkillLibrary } from "./skills/skill-library.ts";
import { parseArguments } from "./templates/parse-arguments.ts";
import { substituteArguments } from "./templates/substitute-arguments.ts";
import type { LoadedTemplate, TemplateLibrary } from "./templates/template-library.ts";

/** The part of the skill library that is needed here. */
export type SkillReader = Pick<SkillLibrary, "list" | "readBody">;

const skillCall = /^\/skill:(\S*)(?:\s+([\s\S]*))?$/i;
const templateCall = /^\/([a-z0-9][a-z0-9_-]*)(?:\s+([\s\S]*))?$/i;
/** Longer than any prompt should be, and short enough to be harmless. */
const maxExpandedChars = 200_000;
const maxNamesShown = 10;

/** Undefined: an ordinary text, or a `/name` that no template has. */
export async function expandPrompt(
  { templates, skills }: { templates: TemplateLibrary; skills: SkillReader },
  text: string,
  channelFolder: string | undefined,
): Promise<ExpandedPrompt | undefined> {
  const trimmed = text.trim();
  const skill = skillCall.exec(trimmed);
  if (skill) return expandSkill(skills, skill[1] ?? "", skill[2] ?? "", channelFolder);
  const call = templateCall.exec(trimmed);
  if (!call) return undefined;
  const wanted = (call[1] ?? "").toLowerCase();
  const found = (await templates.list()).find(({ template }) => template.name.toLowerCase() === wanted);
  return found && expandTemplate(found, call[2] ?? "");
}

function expandTemplate({ template, body, problem }: LoadedTemplate, args: string): ExpandedPrompt {
  if (problem !== undefined) return refuse(`The template /${template.name} cannot be used: ${problem}.`);
  const text = substituteArguments(body, parseArguments(args), maxExpandedChars);
  if (text === undefined) {
    return refuse(`/${template.name} would become longer than ${maxExpandedChars} characters with these arguments.`);
  }
  if (text.trim() === "") {
    return refuse(
      `/${template.name} says nothing without arguments. Use: /${template.name} ${template.argumentHint ?? "…"}`,
    );
  }
  return { type: "template", template, text };
}

async function expandSkill(
  library: SkillReader,
  asked: string,
  args: string,
  channelFolder: string | undefined,
): Promise<ExpandedPrompt> {
  const { skills } = await library.list(channelFolder);
  const skill = skills.find(({ name }) => name === asked.toLowerCase());
  if (!skill) return refuse(formatUnknown(asked, skills));
  const obstacle = findObstacle(skill);
  if (obstacle !== undefined) return refuse(obstacle);
  try {
    return { type: "skill", skill, body: await library.readBody(skill), args: args.trim() };
  } catch (error) {
    return refuse(toPrintable(errorText(error)));
  }
}

function findObstacle({ name, isUserInvocable, missing }: Skill): string | undefined {
  if (!isUserInvocable) return `The skill "${name}" is for mom's own use; it cannot be called with /skill:${name}.`;
  if (missing.length === 0) return undefined;
  const needs = missing.map(({ what, install }) => (install === undefined ? what : `${what} (${install})`));
  return `The skill "${name}" cannot be used here, it needs: ${toPrintable(needs.join(", "))}.`;
}

function formatUnknown(asked: string, skills: readonly Skill[]): string {
  const callable = skills
    .filter((skill) => skill.isUserInvocable && skill.missing.length === 0)
    .map(({ name }) => name);
  const unknown = asked === "" ? "Say which skill." : `There is no skill "${toPrintable(asked.slice(0, 64))}".`;
  const nearest = asked === "" ? undefined : pickNearest(asked, callable);
  if (nearest !== undefined) return `${unknown} Did you mean /skill:${nearest}?`;
  if (callable.length === 0) return `${unknown} There are none to call.`;
  const more = callable.length > maxNamesShown ? ", …" : "";
  return `${unknown} There are: ${callable.slice(0, maxNamesShown).join(", ")}${more}.`;
}

const refuse = (message: string): ExpandedPrompt => ({ type: "refused", message });
