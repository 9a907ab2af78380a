/** The text of a skill → what it says of itself, held against the Agent Skills standard. One sentence for each breach. */
import { createFieldReader, type FieldProblem, type FieldSet } from "./field-reader.ts";
import { dropHidden } from "./hidden-characters.ts";
import { parseFrontmatter } from "./parse-frontmatter.ts";
import { parseMetadata, type SkillMetadata } from "./parse-metadata.ts";

export interface SkillFacts {
  name: string;
  description: string;
  isModelInvocable: boolean;
  isUserInvocable: boolean;
  isPinned: boolean;
  tags: string[];
  metadata: SkillMetadata;
}

export interface ParsedSkill {
  /** Absent when a problem is an error. */
  facts?: SkillFacts;
  problems: FieldProblem[];
  hasFrontmatter: boolean;
}

const maxNameChars = 64;
const maxDescriptionChars = 1024;

/** `names`: what its name may be, the first is what it should be. Never throws. */
export function parseSkill(text: string, names: readonly string[]): ParsedSkill {
  const frontmatter = parseFrontmatter(text);
  if (frontmatter.type !== "ok") {
    const message =
      frontmatter.type === "invalid"
        ? frontmatter.message
        : "has no frontmatter: begin it with ---, then name and description, then ---";
    return { problems: [{ level: "error", message }], hasFrontmatter: frontmatter.type === "invalid" };
  }
  const reader = createFieldReader();
  const fields = reader.read(frontmatter.fields);
  const facts: SkillFacts = {
    name: readName(fields, names),
    description: readDescription(fields),
    isModelInvocable: !(fields.flag("disable-model-invocation") ?? false),
    isUserInvocable: fields.flag("user-invocable") ?? true,
    isPinned: readScope(fields) === "pinned",
    tags: readTags(fields),
    metadata: parseMetadata(reader, frontmatter.fields["metadata"]),
  };
  const isBroken = reader.problems.some(({ level }) => level === "error");
  return { ...(!isBroken && { facts }), problems: reader.problems, hasFrontmatter: true };
}

function readName(fields: FieldSet, names: readonly string[]): string {
  const before = fields.text("name", "error");
  const [wanted = ""] = names;
  const problem = before === undefined ? undefined : findNameProblem(before, names);
  if (problem !== undefined) fields.note("error", "name", problem);
  // Where it is there and no text, that has been said.
  if (before === undefined && !fields.has("name"))
    fields.note("error", "name", `is missing: write \`name: ${wanted}\``);
  return before ?? wanted;
}

/** The standard's rules; the first that is broken. */
function findNameProblem(name: string, names: readonly string[]): string | undefined {
  if (name === "") return "is empty";
  if (name.length > maxNameChars) return `has ${name.length} characters; ${maxNameChars} are allowed`;
  if (!/^[a-z0-9-]+$/.test(name)) return `"${name}" may have lowercase letters, digits and hyphens only`;
  if (name.startsWith("-") || name.endsWith("-")) return `"${name}" may not begin or end with a hyphen`;
  if (name.includes("--")) return `"${name}" may not have two hyphens in a row`;
  if (!names.includes(name)) return `"${name}" must be that of its folder or file, "${names[0]}"`;
  return undefined;
}

/** On one line, since it stands in an index: without breaks, and without what cannot be seen. */
function readDescription(fields: FieldSet): string {
  const text = fields.text("description", "error");
  const description = dropHidden((text ?? "").replace(/\s+/gu, " ")).trim();
  if (text === undefined) {
    if (!fields.has("description")) {
      fields.note("error", "description", "is missing: say what the skill does and when to use it");
    }
  } else if (description === "")
    fields.note("error", "description", "is empty: say what the skill does and when to use it");
  else if (description.length > maxDescriptionChars) {
    fields.note("error", "description", `has ${description.length} characters; ${maxDescriptionChars} are allowed`);
  }
  return description;
}

function readScope(fields: FieldSet): string | undefined {
  const scope = fields.text("scope", "error");
  if (scope !== undefined && scope !== "pinned") fields.note("error", "scope", 'must be "pinned" or left out');
  return scope;
}

/** A list, or words with commas between them. */
function readTags(fields: FieldSet): string[] {
  const tags = fields.texts("tags", "warning") ?? [];
  return tags
    .flatMap((text) => text.split(","))
    .map((tag) => dropHidden(tag.replace(/\s+/gu, " ")).trim())
    .filter((tag) => tag !== "");
}
