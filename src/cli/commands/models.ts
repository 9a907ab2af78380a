/** `mom models`: which models the config and the keys give, and which one answers. Asks no provider anything. */
import { Command } from "commander";
import type { MomConfig } from "../../app/index.ts";
import { createSystemClock } from "../../base/clock.ts";
import type { ModelInfo, ModelProvider } from "../../contracts/model.ts";
import { createModels } from "../../models/index.ts";
import { createSilentLog } from "../cli-log.ts";
import { dataOption, findDataDir } from "../data-dir.ts";
import { type Column, formatTable } from "../format-table.ts";
import { formatCount } from "../format-values.ts";
import type { CliIo } from "../io.ts";
import { loadValidConfig } from "../load-valid-config.ts";
import { printJson, printLines } from "../print.ts";

interface Options {
  data?: string;
  json?: true;
}

export function buildModelsCommand(io: CliIo): Command {
  const models = new Command("models").description(
    "Shows the models that can be used with the config and the keys set.",
  );
  models
    .command("list")
    .description("list every model that can be chosen; * marks the one that answers")
    .option("--json", "print JSON")
    .option(...dataOption)
    .action((options: Options) => list(io, options));
  models
    .command("status")
    .description("show which model answers, the aliases, and the providers; exits with 1 if none can be used")
    .option("--json", "print JSON")
    .option(...dataOption)
    .action((options: Options) => showStatus(io, options));
  return models;
}

async function open(io: CliIo, { data }: Options): Promise<{ models: ModelProvider; config: MomConfig["models"] }> {
  const dataDir = await findDataDir(io, data);
  const { config } = await loadValidConfig(io, dataDir, { create: false });
  const clock = createSystemClock();
  return {
    models: createModels({ clock, log: createSilentLog(clock), env: io.env }, config.models),
    config: config.models,
  };
}

async function list(io: CliIo, options: Options): Promise<void> {
  const { models } = await open(io, options);
  const [all, chosen] = [await models.list(), await models.resolve()];
  const chosenRef = chosen.type === "model" ? chosen.model.ref : undefined;
  if (options.json)
    return printJson(
      io,
      all.map((model) => ({ ...model, isDefault: model.ref === chosenRef })),
    );
  io.stdout.write(`${formatTable(buildColumns(chosenRef), all).join("\n")}\n`);
}

const buildColumns = (chosenRef: string | undefined): Column<ModelInfo>[] => [
  { title: " ", toText: ({ ref }) => (ref === chosenRef ? "*" : "") },
  { title: "MODEL", toText: ({ ref }) => ref },
  { title: "CONTEXT", align: "right", toText: ({ contextWindow }) => formatCount(contextWindow) },
  { title: "OUTPUT", align: "right", toText: ({ maxOutputTokens }) => formatCount(maxOutputTokens) },
  { title: "TAKES", toText: ({ input }) => input.join(", ") },
  { title: "$/M IN", align: "right", toText: ({ price }) => String(price.input) },
  { title: "$/M OUT", align: "right", toText: ({ price }) => String(price.output) },
];

async function showStatus(io: CliIo, options: Options): Promise<void> {
  const { models, config } = await open(io, options);
  const answers = await describe(models);
  const aliases = await Promise.all(
    Object.entries(config.aliases).map(async ([alias, target]) => ({
      alias,
      target,
      ...(await describe(models, alias)),
    })),
  );
  const counts = Map.groupBy(await models.list(), ({ provider }) => provider);
  const providers = [...counts].map(([provider, { length }]) => ({ provider, models: length }));
  if (options.json) printJson(io, { default: answers, aliases, providers });
  else {
    printLines(io, [
      `answers: ${answers.model ?? `none. ${answers.problem}`}${config.default === undefined ? " (models.default is not set, so chosen by the keys that are)" : ""}`,
      ...aliases.map(
        ({ alias, target, problem }) => `alias: ${alias} = ${target}${problem ? `, unusable: ${problem}` : ""}`,
      ),
      ...providers.map(
        ({ provider, models: count }) => `provider: ${provider}, ${count} ${count === 1 ? "model" : "models"}`,
      ),
    ]);
  }
  if (answers.model === undefined) io.exit(1);
}

async function describe(models: ModelProvider, ref?: string): Promise<{ model?: string; problem?: string }> {
  const resolved = await models.resolve(ref);
  return resolved.type === "model" ? { model: resolved.model.ref } : { problem: resolved.message };
}
