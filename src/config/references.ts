/**
 * Second step: puts in what the file only points at, `${ENV_NAME}` in any string and `{ "$file": "path" }` in place of
 * one. What comes from a reference is taken to be a secret. A reference that cannot be followed is a problem.
 */
import { errorText } from "../base/errors.ts";
import { type ConfigPath, formatConfigPath } from "./config-path.ts";
import type { ConfigProblem } from "./problem.ts";
import { quoteText } from "./quote-text.ts";

export type Env = Readonly<Record<string, string | undefined>>;

export interface ReferenceReaders {
  env: Env;
  /** Reads a file named by `$file`, the path as written there. Rejects when it cannot. */
  readFile(path: string): Promise<string>;
}

export interface ResolvedReferences {
  value: unknown;
  problems: { path: ConfigPath; problem: ConfigProblem }[];
  /** What references gave; no empty strings. */
  secrets: Set<string>;
  /** Formatted path of a value that came from a reference → the reference, for messages. */
  sources: Map<string, string>;
}

const reference = /\$(\$?)\{([^}]*)\}/g;
const envName = /^[A-Za-z_][A-Za-z0-9_]*$/;

export async function resolveReferences(value: unknown, readers: ReferenceReaders): Promise<ResolvedReferences> {
  const state: ResolvedReferences = { value: undefined, problems: [], secrets: new Set(), sources: new Map() };
  state.value = await resolve(value, [], readers, state);
  return state;
}

async function resolve(value: unknown, path: ConfigPath, readers: ReferenceReaders, state: ResolvedReferences) {
  if (typeof value === "string") return resolveText(value, path, readers.env, state);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    for (const [i, child] of value.entries()) list.push(await resolve(child, [...path, i], readers, state));
    return list;
  }
  if (Object.hasOwn(value, "$file")) return resolveFile(value, path, readers, state);
  const entries: [string, unknown][] = [];
  for (const [key, child] of Object.entries(value)) {
    entries.push([key, await resolve(child, [...path, key], readers, state)]);
  }
  return Object.fromEntries(entries);
}

function resolveText(text: string, path: ConfigPath, env: Env, state: ResolvedReferences): string {
  const { result, names } = fillIn(text, path, env, state);
  if (names.length === 0) return result;
  for (const name of names) if (env[name]) state.secrets.add(env[name]);
  state.sources.set(formatConfigPath(path), names.map((name) => `\${${name}}`).join(" and "));
  return result;
}

/** Where a variable is missing the reference stays as written, so that the rest of the config can still be checked. */
function fillIn(text: string, path: ConfigPath, env: Env, state: ResolvedReferences) {
  const names: string[] = [];
  const result = text.replace(reference, (whole, doubled: string, name: string) => {
    if (doubled) return whole.slice(1);
    if (!envName.test(name)) {
      state.problems.push({ path, problem: buildNameProblem(path, whole) });
      return whole;
    }
    names.push(name);
    const found = env[name];
    if (!found) state.problems.push({ path, problem: buildEnvProblem(path, name, found === "") });
    return found || whole;
  });
  return { result, names };
}

async function resolveFile(
  value: object,
  path: ConfigPath,
  readers: ReferenceReaders,
  state: ResolvedReferences,
): Promise<string> {
  const target: unknown = Reflect.get(value, "$file");
  if (typeof target !== "string" || target === "" || Object.keys(value).length > 1) {
    state.problems.push({ path, problem: buildShapeProblem(path) });
    return "";
  }
  const before = state.problems.length;
  const file = fillIn(target, path, readers.env, state).result;
  if (state.problems.length > before) return "";
  state.sources.set(formatConfigPath(path), `the file ${quoteText(file)}`);
  try {
    const text = (await readers.readFile(file)).replace(/\r?\n$/, "");
    if (text) state.secrets.add(text);
    return text;
  } catch (error) {
    state.problems.push({ path, problem: buildFileProblem(path, file, error) });
    return "";
  }
}

function buildEnvProblem(path: ConfigPath, name: string, isEmpty: boolean): ConfigProblem {
  const key = formatConfigPath(path);
  const state = isEmpty ? "is empty" : "is not set";
  return {
    path: key,
    found: `\${${name}}, which ${state}`,
    allowed: "the name of an environment variable that is set",
    message: `${key}: the environment variable ${name} ${state}`,
    hint: `Set ${name} where mom is started, or change ${key} in config.json.`,
  };
}

function buildNameProblem(path: ConfigPath, written: string): ConfigProblem {
  const key = formatConfigPath(path);
  const allowed = "${NAME} with letters, digits and underscores";
  return {
    path: key,
    found: quoteText(written),
    allowed,
    message: `${key}: ${quoteText(written)} is not the name of an environment variable, expected ${allowed}`,
    hint: `If this is meant as plain text, write $${written} instead.`,
  };
}

function buildShapeProblem(path: ConfigPath): ConfigProblem {
  const key = formatConfigPath(path);
  const allowed = '{ "$file": "path" } with nothing else in it';
  return {
    path: key,
    found: 'a "$file" reference of another shape',
    allowed,
    message: `${key}: found a "$file" reference of another shape, expected ${allowed}`,
    hint: "Give the path as a string; a relative one starts at the folder of config.json.",
  };
}

function buildFileProblem(path: ConfigPath, file: string, error: unknown): ConfigProblem {
  const key = formatConfigPath(path);
  return {
    path: key,
    found: `the file ${quoteText(file)}, which cannot be read`,
    allowed: "the path of a text file that mom may read",
    message: `${key}: the file ${quoteText(file)} cannot be read (${errorText(error)})`,
    hint: "Create the file or correct the path; a relative one starts at the folder of config.json.",
  };
}
