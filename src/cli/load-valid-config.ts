/** The config for commands that cannot do without a good one. */
import { configSchema, defaultConfigText, type MomConfig } from "../app/index.ts";
import { buildInvalidError, loadConfig } from "../config/index.ts";
import type { CliIo } from "./io.ts";

export interface ValidConfig {
  config: MomConfig;
  secrets: readonly string[];
  /** There was none, and the default one has just been written. */
  created: boolean;
}

/** `create`: a missing one is made, with its folder; otherwise `CONFIG_MISSING`. Throws `CONFIG_INVALID` with every problem. */
export async function loadValidConfig(
  { env }: Pick<CliIo, "env">,
  dataDir: string,
  { create }: { create: boolean },
): Promise<ValidConfig> {
  const deps = { schema: configSchema, env, ...(create && { defaultText: defaultConfigText }) };
  const loaded = await loadConfig(dataDir, deps);
  if (loaded.type === "ok") return { config: loaded.config, secrets: loaded.secrets, created: loaded.created };
  throw await buildInvalidError(dataDir, loaded.problems);
}
