/** The models and keys of a data directory, for commands that look at them or change them beside a mom that may be running. */
import type { MomConfig } from "../app/index.ts";
import { createSystemClock } from "../base/clock.ts";
import type { AuthStore } from "../contracts/auth.ts";
import type { Log } from "../contracts/log.ts";
import type { ModelProvider } from "../contracts/model.ts";
import { createModels } from "../models/index.ts";
import { buildLayout, createAuthFile } from "../store/index.ts";
import { createSilentLog } from "./cli-log.ts";
import { findDataDir, pickDataDir } from "./data-dir.ts";
import type { CliIo } from "./io.ts";
import { loadValidConfig } from "./load-valid-config.ts";
import { note } from "./print.ts";

export interface OpenModels {
  models: ModelProvider;
  auth: AuthStore;
  config: MomConfig;
  nowMs: number;
}

/** Throws what `findDataDir` and `loadValidConfig` throw. `create`: a missing data directory is made, with a default config. */
export async function openModels(
  io: CliIo,
  data: string | undefined,
  { create = false }: { create?: boolean } = {},
): Promise<OpenModels> {
  const dataDir = create ? pickDataDir(io, data) : await findDataDir(io, data);
  const { config } = await loadValidConfig(io, dataDir, { create });
  const clock = createSystemClock();
  const auth = createAuthFile({ path: buildLayout(dataDir).authPath, clock, log: createNoteLog(io) });
  const log = createSilentLog(clock);
  const models = createModels({ clock, log, env: io.env, auth, authOrder: config.auth.order }, config.models);
  return { models, auth, config, nowMs: clock.now() };
}

/** What the key file has to say is for the person at the terminal. */
function createNoteLog(io: CliIo): Log {
  const ignore = () => undefined;
  const say = (text: string) => note(io, text);
  const log: Log = { debug: ignore, info: ignore, warn: say, error: say, with: () => log };
  return log;
}
