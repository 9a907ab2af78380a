/** Reads and parses `<dir>/config.json`; makes a first one where there is none. The start of every mom and of `mom config`. */
import type { z } from "zod";
import { ConfigError } from "../base/errors.ts";
import {
  configPath,
  createConfigFile,
  hasLastGood,
  lastGoodPath,
  readConfigText,
  readReferencedFile,
} from "./config-files.ts";
import { type ParseDeps, type ParsedConfig, parseConfig } from "./parse-config.ts";
import { type ConfigProblem, formatProblems } from "./problem.ts";
import type { Env } from "./references.ts";

export interface LoadDeps<Schema extends z.ZodType> {
  schema: Schema;
  env: Env;
  /** Written where there is no config yet. Absent: a missing config is an error, for commands that only read. */
  defaultText?: string;
}

export type LoadedConfig<Config> = ParsedConfig<Config> & {
  path: string;
  text: string;
  /** The file was not there and has just been made. */
  created: boolean;
};

/** Throws `CONFIG_MISSING`, `CONFIG_UNREADABLE`, `CONFIG_DIR_INVALID`, `CONFIG_DIR_NOT_WRITABLE`; a wrong config is a value. */
export async function loadConfig<Schema extends z.ZodType>(
  dir: string,
  deps: LoadDeps<Schema>,
): Promise<LoadedConfig<z.output<Schema>>> {
  const path = configPath(dir);
  const found = await readConfigText(dir);
  const text = found ?? deps.defaultText;
  if (text === undefined) {
    throw new ConfigError("CONFIG_MISSING", `There is no ${path}.`, {
      hint: `Start mom there once (mom ${dir}) to get a commented one, or name the data directory with --data.`,
    });
  }
  if (found === undefined) await createConfigFile(dir, text);
  const parsed = await parseConfig(text, toParseDeps(dir, deps));
  return { ...parsed, path, text, created: found === undefined };
}

/** The readers of a config that lies in `dir`. */
export function toParseDeps<Schema extends z.ZodType>(
  dir: string,
  deps: { schema: Schema; env: Env },
): ParseDeps<Schema> {
  return { schema: deps.schema, env: deps.env, readFile: (path) => readReferencedFile(dir, path) };
}

/** The refusal to start: all problems at once, and where the last good copy is. */
export async function buildInvalidError(dir: string, problems: readonly ConfigProblem[]): Promise<ConfigError> {
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  const copy = (await hasLastGood(dir)) ? ` The last config that worked is kept in ${lastGoodPath(dir)}.` : "";
  return new ConfigError("CONFIG_INVALID", `${configPath(dir)} has ${count}:\n${formatProblems(problems)}`, {
    hint: `Correct the file; "mom config validate" checks it without starting anything.${copy}`,
  });
}
