/** Parts a Markdown file into its YAML frontmatter and the rest. Plain YAML only: no tags, few aliases, bounded in size. */
import { parseDocument } from "yaml";
import { errorText } from "../../base/errors.ts";

export type Frontmatter =
  | { type: "ok"; fields: Readonly<Record<string, unknown>>; body: string }
  /** The file does not begin with `---`. */
  | { type: "absent" }
  /** `message` completes "this file …". */
  | { type: "invalid"; message: string };

const maxChars = 16_000;
const maxAliases = 20;

/** Never throws. Lines end with `\n`, and there is no byte order mark: so files come from the reader. */
export function parseFrontmatter(text: string): Frontmatter {
  const opening = /^---[ \t]*\n/.exec(text);
  if (!opening) return { type: "absent" };
  const closing = /^---[ \t]*$/m.exec(text.slice(opening[0].length));
  if (!closing) return { type: "invalid", message: "has frontmatter that does not end: put a line --- after it" };
  if (closing.index > maxChars) return { type: "invalid", message: `has frontmatter of over ${maxChars} characters` };
  const bodyStart = opening[0].length + closing.index + closing[0].length;
  return parseYaml(text.slice(opening[0].length, bodyStart - closing[0].length), text.slice(bodyStart).trim());
}

function parseYaml(yaml: string, body: string): Frontmatter {
  try {
    const document = parseDocument(yaml, { schema: "core", resolveKnownTags: false, logLevel: "silent" });
    // A tag that YAML does not know is only a warning there.
    const problem = document.errors[0] ?? document.warnings[0];
    if (problem) return { type: "invalid", message: `has frontmatter that is no plain YAML: ${toOneLine(problem)}` };
    const fields: unknown = document.toJS({ maxAliasCount: maxAliases });
    if (isRecord(fields)) return { type: "ok", fields, body };
    return { type: "invalid", message: "has frontmatter without fields: write `name: …` and `description: …`" };
  } catch (error) {
    return { type: "invalid", message: `has frontmatter that is too tangled to read: ${errorText(error)}` };
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Without the excerpt that follows; lines counted as in the file, where `---` is the first. */
function toOneLine({ message, linePos }: { message: string; linePos?: [{ line: number }, ...unknown[]] }): string {
  const [first = ""] = message.split("\n");
  const what = first.replace(/ at line \d+, column \d+:?$/, "");
  return linePos === undefined ? what : `${what} (line ${linePos[0].line + 1})`;
}
