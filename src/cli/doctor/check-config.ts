/** The config: all its problems and oddities, and whether others can read it. */
import { stat } from "node:fs/promises";
import { configSchema, type MomConfig, toNameSurroundings } from "../../app/index.ts";
import { errorText, MomError } from "../../base/errors.ts";
import { loadConfig } from "../../config/index.ts";
import { checkToolNames } from "../../tools/index.ts";
import { findKnownTools } from "../find-known-tools.ts";
import { readHolderNow } from "../holder.ts";
import type { CliIo } from "../io.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

const check = "config";

/** `config` is there when it can be used. */
export async function checkConfig(
  { env }: Pick<CliIo, "env">,
  dataDir: string,
): Promise<{ findings: Finding[]; config?: MomConfig }> {
  try {
    const loaded = await loadConfig(dataDir, { schema: configSchema, env });
    if (loaded.type === "invalid") {
      return { findings: loaded.problems.map(({ message, hint }) => fail(check, message, hint)) };
    }
    const { config, warnings, path } = loaded;
    const findings = [
      ok(check, path),
      ...warnings.map(({ message, hint }) => warn(check, message, hint)),
      ...(await checkMode(path)),
      ...checkAdapters(config),
      ...(await checkNames({ env }, dataDir, config)),
    ];
    return { findings, config };
  } catch (error) {
    const hint = error instanceof MomError ? error.hint : undefined;
    return { findings: [fail(check, errorText(error), hint ?? "Make the file readable.")] };
  }
}

async function checkNames(io: Pick<CliIo, "env">, dataDir: string, config: MomConfig): Promise<Finding[]> {
  // A store that is in use is up to date, so that looking into it changes nothing.
  const mayOpenStore = readHolderNow(dataDir) !== undefined;
  const custom = await findKnownTools(io, dataDir, { config, mayOpenStore });
  const { agents, adapters, tools } = config;
  const warnings = await checkToolNames(tools, { agents, adapters, ...toNameSurroundings(custom) });
  return warnings.map((warning) => warn(check, warning, "Correct the name in config.json."));
}

async function checkMode(path: string): Promise<Finding[]> {
  const { mode } = await stat(path);
  if (process.platform === "win32" || (mode & 0o077) === 0) return [];
  return [warn(check, `others can read ${path}, and it may hold secrets`, `chmod 600 ${path}`)];
}

function checkAdapters({ adapters }: MomConfig): Finding[] {
  if (Object.keys(adapters).length > 0) return [];
  return [
    warn(
      check,
      "no adapters: nobody can talk to mom but `mom chat` and `mom agent`",
      "mom config set adapters.terminal.type cli",
    ),
  ];
}
