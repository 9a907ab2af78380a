/**
 * One key set or removed in a config's text, comments kept: for `mom config set|unset` and the gateway. Gives the new text
 * only if it says what was asked and brings no new problem; the caller writes it (`saveConfigText`).
 */
import { isDeepStrictEqual } from "node:util";
import JSON5 from "json5";
import type { z } from "zod";
import { formatConfigPath, parseConfigPath, valueAt } from "./config-path.ts";
import { removeFromText, setInText } from "./edit-text.ts";
import { type ParseDeps, parseConfig } from "./parse-config.ts";
import { parseJson5 } from "./parse-json5.ts";
import { buildProblem, type ConfigProblem, type ConfigWarning } from "./problem.ts";

export type EditedConfig =
  | {
      type: "ok";
      text: string;
      warnings: ConfigWarning[];
      /** Problems that the text had before and still has: an edit need not mend the whole file. */
      remaining: ConfigProblem[];
    }
  | { type: "invalid"; problems: ConfigProblem[] }
  /** Nothing to remove. */
  | { type: "absent" };

/** `value` undefined removes the key. `path` as for `parseConfigPath`, which may throw `CONFIG_PATH_INVALID`. */
export function editConfig<Schema extends z.ZodType>(
  text: string,
  path: string,
  value: unknown,
  deps: ParseDeps<Schema>,
): Promise<EditedConfig> {
  return editConfigAtOnce(text, [{ path, value }], deps);
}

/** Several of these in one step, in order: only what comes out in the end must be valid. */
export async function editConfigAtOnce<Schema extends z.ZodType>(
  text: string,
  changes: readonly { path: string; value?: unknown }[],
  deps: ParseDeps<Schema>,
): Promise<EditedConfig> {
  let edited = text;
  for (const { path, value } of changes) {
    const segments = parseConfigPath(path);
    const read = parseJson5(edited);
    if (read.type === "invalid") return { type: "invalid", problems: [read.problem] };
    if (value === undefined && valueAt(read.value, segments) === undefined) continue;
    const next = tryEdit(edited, segments, value, read.value);
    if (next === undefined) return { type: "invalid", problems: [buildEditProblem(segments)] };
    edited = next;
  }
  if (edited === text && changes.every(({ value }) => value === undefined)) return { type: "absent" };

  const before = await parseConfig(text, deps);
  const after = await parseConfig(edited, deps);
  if (after.type === "ok") return { type: "ok", text: edited, warnings: after.warnings, remaining: [] };
  const known = new Set(before.type === "invalid" ? before.problems.map(({ message }) => message) : []);
  const added = after.problems.filter(({ message }) => !known.has(message));
  if (added.length > 0) return { type: "invalid", problems: added };
  return { type: "ok", text: edited, warnings: [], remaining: after.problems };
}

/**
 * The same with a value as a person typed it: JSON5, else plain text. Ids such as 123456789012345678 look like numbers:
 * where the schema wants text, the text was meant.
 */
export async function editConfigAsWritten<Schema extends z.ZodType>(
  text: string,
  path: string,
  written: string,
  deps: ParseDeps<Schema>,
): Promise<EditedConfig> {
  const read = parseWritten(written);
  const edited = await editConfig(text, path, read, deps);
  if (edited.type === "ok" || (typeof read === "object" && read !== null)) return edited;
  const asText = await editConfig(text, path, written, deps);
  return asText.type === "ok" ? asText : edited;
}

function parseWritten(written: string): unknown {
  try {
    return JSON5.parse(written);
  } catch {
    return written;
  }
}

/** The edited text, only if reading it back gives exactly what was asked for. */
function tryEdit(text: string, path: readonly string[], value: unknown, current: unknown): string | undefined {
  try {
    const edited = value === undefined ? removeFromText(text, path) : setInText(text, path, value);
    if (edited === undefined) return undefined;
    return isDeepStrictEqual(JSON5.parse(edited), withValueAt(current, path, value)) ? edited : undefined;
  } catch {
    return undefined;
  }
}

/** A copy with the one entry set or, for undefined, gone. */
function withValueAt(current: unknown, path: readonly string[], value: unknown): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  const inner = withValueAt(valueAt(current, [name]), rest, value);
  if (Array.isArray(current))
    return inner === undefined ? current.toSpliced(Number(name), 1) : current.toSpliced(Number(name), 1, inner);
  const others = Object.entries(Object(current)).filter(([key]) => key !== name);
  return Object.fromEntries(inner === undefined ? others : [...others, [name, inner]]);
}

function buildEditProblem(path: readonly string[]): ConfigProblem {
  const problem = buildProblem(path, "text that cannot be edited from outside", "an entry of an object or a list", "");
  return { ...problem, hint: `Change ${formatConfigPath(path)} in config.json with an editor.` };
}
