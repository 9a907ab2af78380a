/**
 * The whole way from text to typed config: JSON5 → references → unknown keys → validation → words. Everything that reads a
 * config goes through here: start-up, live edits, `mom config`. Pure apart from the readers that are passed in.
 */
import { z } from "zod";
import { pickNearest } from "../base/nearest.ts";
import { type ConfigPath, formatConfigPath, isSameBranch, valueAt } from "./config-path.ts";
import { explainIssue } from "./explain-issue.ts";
import { dropKeys, matchSchema, type UnknownKey } from "./match-schema.ts";
import { parseJson5 } from "./parse-json5.ts";
import type { ConfigProblem, ConfigWarning } from "./problem.ts";
import { quoteText } from "./quote-text.ts";
import { type ReferenceReaders, resolveReferences } from "./references.ts";

export interface ParseDeps<Schema extends z.ZodType> extends ReferenceReaders {
  schema: Schema;
}

export type ParsedConfig<Config> =
  | {
      type: "ok";
      config: Config;
      warnings: ConfigWarning[];
      /** Every text that must not be shown: what references gave, and what the schema marks. No empty strings. */
      secrets: string[];
    }
  | { type: "invalid"; problems: ConfigProblem[] };

export async function parseConfig<Schema extends z.ZodType>(
  text: string,
  deps: ParseDeps<Schema>,
): Promise<ParsedConfig<z.output<Schema>>> {
  const read = parseJson5(text);
  if (read.type === "invalid") return { type: "invalid", problems: [read.problem] };
  const resolved = await resolveReferences(read.value, deps);
  const { unknown, secretPaths } = matchSchema(deps.schema, resolved.value);
  const value = dropKeys(resolved.value, unknown);
  // A reference under an unknown key decides nothing, so it cannot refuse the config either.
  const broken = resolved.problems.filter(({ path }) => !unknown.some((key) => isInside(path, key.path)));
  const result = z.safeParse(deps.schema, value, { reportInput: true });

  if (!result.success || broken.length > 0) {
    const context = { value, sources: resolved.sources, secretPaths };
    const issues = (result.error?.issues ?? []).filter(
      (issue) => !broken.some(({ path }) => isSameBranch(issue.path, path)),
    );
    const problems = [
      ...broken.map(({ problem }) => problem),
      ...issues.flatMap((issue) => explainIssue(issue, context)),
    ];
    return { type: "invalid", problems };
  }
  const marked = secretPaths.map((path) => valueAt(value, path)).filter((found) => typeof found === "string");
  const secrets = [...new Set([...resolved.secrets, ...marked])].filter((secret) => secret !== "");
  return { type: "ok", config: result.data, warnings: unknown.map(buildUnknownWarning), secrets };
}

function isInside(path: ConfigPath, outer: ConfigPath): boolean {
  return path.length >= outer.length && isSameBranch(path, outer);
}

function buildUnknownWarning({ path, known }: UnknownKey): ConfigWarning {
  const name = formatConfigPath(path);
  const near = pickNearest(String(path.at(-1)), known);
  const hint =
    near !== undefined
      ? `Did you mean ${quoteText(near)}?`
      : known.length > 0
        ? `Known here: ${known.map(quoteText).join(", ")}.`
        : "Nothing is known here; remove the key.";
  return { path: name, message: `${name}: unknown key, ignored`, hint };
}
