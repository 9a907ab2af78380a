/** `mom models`: which models the config and the keys give, which one answers, and how each provider stands with its keys. */
import { Command } from "commander";
import { formatCount } from "../../base/format-values.ts";
import type { ModelInfo, ModelProvider, ProviderStatus } from "../../contracts/model.ts";
import { dataOption } from "../data-dir.ts";
import { formatState } from "../format-profiles.ts";
import { type Column, formatTable } from "../format-table.ts";
import type { CliIo } from "../io.ts";
import { openModels } from "../open-models.ts";
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
    .description(
      "show which model answers, the aliases, and every provider with its keys; exits with 1 if none answers",
    )
    .option("--json", "print JSON")
    .option(...dataOption)
    .action((options: Options) => showStatus(io, options));
  return models;
}

async function list(io: CliIo, options: Options): Promise<void> {
  const { models } = await openModels(io, options.data);
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
  { title: "THINKS", toText: ({ reasoning }) => (reasoning ? "yes" : "no") },
  { title: "$/M IN", align: "right", toText: ({ price }) => String(price.input) },
  { title: "$/M OUT", align: "right", toText: ({ price }) => String(price.output) },
];

async function showStatus(io: CliIo, options: Options): Promise<void> {
  const { models, config } = await openModels(io, options.data);
  const answers = await describe(models);
  const aliases = await Promise.all(
    Object.entries(models.aliases()).map(async ([alias, target]) => ({
      alias,
      target,
      ...(await describe(models, alias)),
    })),
  );
  const providers = await models.status();
  if (options.json) printJson(io, { default: answers, aliases, providers });
  else {
    const isChosenByKeys = config.models.default === undefined;
    printLines(io, [
      `answers: ${answers.model ?? `none. ${answers.problem}`}${isChosenByKeys ? " (models.default is not set, so chosen by the keys that are)" : ""}`,
      ...aliases.map(
        ({ alias, target, problem }) => `alias: ${alias} = ${target}${problem ? `, unusable: ${problem}` : ""}`,
      ),
      ...providers.flatMap(toLines),
    ]);
  }
  if (answers.model === undefined) io.exit(1);
}

function toLines({ name, usable, missing, profiles }: ProviderStatus): string[] {
  return [
    `provider: ${name}, ${usable ? "usable" : `not usable. ${missing ?? ""}`.trimEnd()}`,
    ...profiles.map((profile) => `  ${profile.id}: ${formatState(profile)}`),
  ];
}

async function describe(models: ModelProvider, ref?: string): Promise<{ model?: string; problem?: string }> {
  const resolved = await models.resolve(ref);
  return resolved.type === "model" ? { model: resolved.model.ref } : { problem: resolved.message };
}
