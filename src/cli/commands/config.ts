/** `mom config`: look at, check and change `config.json` without opening it. Works on the file; a running mom follows by itself. */
import { resolve } from "node:path";
import { Command } from "commander";
import { configSchema, defaultConfigText, toNameSurroundings } from "../../app/index.ts";
import { pickNearest } from "../../base/nearest.ts";
import { toPrintable } from "../../base/printable.ts";
import {
  type ConfigProblem,
  type ConfigWarning,
  type EditedConfig,
  editConfig,
  editConfigAsWritten,
  formatProblems,
  loadConfig,
  parseConfigPath,
  redactConfig,
  saveConfigText,
  toJsonSchema,
  toParseDeps,
  valueAt,
} from "../../config/index.ts";
import { checkToolNames } from "../../tools/index.ts";
import { findKnownTools } from "../find-known-tools.ts";
import type { CliIo } from "../io.ts";

interface Options {
  data?: string;
  json?: true;
}

export function buildConfigCommand(io: CliIo): Command {
  const config = new Command("config").description("Look at, check and change the config of a data directory.");
  const add = (name: string, description: string) =>
    config
      .command(name)
      .description(description)
      .option("--data <dir>", "the data directory (default: $MOM_DATA, else ./data)")
      .option("--json", "print JSON");
  add("get", "print the config in use, defaults included, or one key of it; secrets as ***")
    .argument("[path]", 'dotted path; keys with dots in quotes: adapters."a.b".dm')
    .action((path: string | undefined, options: Options) => getValue(io, options, path));
  add("set", "set one key; comments and layout stay")
    .argument("<path>", "dotted path")
    .argument("<value>", "JSON5, or plain text")
    .action((path: string, value: string, options: Options) => setValue(io, options, path, value));
  add("unset", "remove one key; comments and layout stay")
    .argument("<path>", "dotted path")
    .action((path: string, options: Options) => unsetValue(io, options, path));
  add("validate", "check the config and explain every problem").action((options: Options) => validate(io, options));
  add("schema", "print the JSON Schema of the config").action(() => printJson(io, toJsonSchema(configSchema)));
  return config;
}

async function getValue(io: CliIo, options: Options, path: string | undefined): Promise<void> {
  const segments = path === undefined ? [] : parseConfigPath(path);
  const loaded = await loadConfig(dataDir(io, options), { schema: configSchema, env: io.env });
  if (loaded.type === "invalid") return refuse(io, options, loaded.problems);
  printWarnings(io, loaded.warnings);
  const value = valueAt(redactConfig(loaded.config, loaded.secrets), segments);
  if (value === undefined) {
    const known = Object.keys(Object(valueAt(loaded.config, segments.slice(0, -1))));
    const near = pickNearest(segments.at(-1) ?? "", known);
    complain(io, `${path} is not set.${near === undefined ? "" : ` Did you mean "${near}"?`}`);
    return io.exit(1);
  }
  if (typeof value === "string" && !options.json) io.stdout.write(`${toPrintable(value)}\n`);
  else printJson(io, value);
}

async function setValue(io: CliIo, options: Options, path: string, written: string): Promise<void> {
  const dir = dataDir(io, options);
  const loaded = await loadConfig(dir, { schema: configSchema, env: io.env, defaultText: defaultConfigText });
  const deps = toParseDeps(dir, { schema: configSchema, env: io.env });
  const edited = await editConfigAsWritten(loaded.text, path, written, deps);
  await finishEdit(io, options, { dir, path, edited, done: "set" });
}

async function unsetValue(io: CliIo, options: Options, path: string): Promise<void> {
  const dir = dataDir(io, options);
  const deps = { schema: configSchema, env: io.env };
  const { text } = await loadConfig(dir, deps);
  const edited = await editConfig(text, path, undefined, toParseDeps(dir, deps));
  await finishEdit(io, options, { dir, path, edited, done: "removed" });
}

async function finishEdit(
  io: CliIo,
  options: Options,
  { dir, path, edited, done }: { dir: string; path: string; edited: EditedConfig; done: "set" | "removed" },
): Promise<void> {
  if (edited.type === "invalid") return refuse(io, options, edited.problems);
  if (edited.type === "absent") {
    complain(io, `${path} is not in the file.`);
    return io.exit(1);
  }
  await saveConfigText(dir, edited.text);
  printWarnings(io, edited.warnings);
  if (edited.remaining.length > 0) complain(io, `The file still has problems:\n${formatProblems(edited.remaining)}`);
  if (options.json) printJson(io, { done, path, warnings: edited.warnings, remaining: edited.remaining });
  else io.stdout.write(`${done} ${toPrintable(path)}\n`);
}

async function validate(io: CliIo, options: Options): Promise<void> {
  const dir = dataDir(io, options);
  const loaded = await loadConfig(dir, { schema: configSchema, env: io.env });
  if (loaded.type === "invalid") return refuse(io, options, loaded.problems);
  if (options.json) return printJson(io, { valid: true, problems: [], warnings: loaded.warnings });
  printWarnings(io, loaded.warnings);
  const { tools, agents, adapters } = loaded.config;
  const custom = await findKnownTools(io, dir, { config: loaded.config, mayOpenStore: true });
  const around = { agents, adapters, ...toNameSurroundings(custom) };
  for (const warning of await checkToolNames(tools, around)) complain(io, `warning: ${warning}`);
  io.stdout.write(`${loaded.path} is valid\n`);
}

function dataDir(io: CliIo, options: Options): string {
  return resolve(io.cwd, options.data ?? (io.env["MOM_DATA"] || "data"));
}

function refuse(io: CliIo, options: Options, problems: readonly ConfigProblem[]): void {
  if (options.json) printJson(io, { valid: false, problems, warnings: [] });
  else complain(io, `The config has ${problems.length === 1 ? "a problem" : "problems"}:\n${formatProblems(problems)}`);
  io.exit(2);
}

function printWarnings(io: CliIo, warnings: readonly ConfigWarning[]): void {
  for (const { message, hint } of warnings) complain(io, `warning: ${message}. ${hint}`);
}

function complain(io: CliIo, text: string): void {
  io.stderr.write(`mom: ${text.split("\n").map(toPrintable).join("\n")}\n`);
}

function printJson(io: CliIo, value: unknown): void {
  // Line breaks inside texts are escaped already, so every line here is one of the layout.
  io.stdout.write(`${JSON.stringify(value, null, 2).split("\n").map(toPrintable).join("\n")}\n`);
}
