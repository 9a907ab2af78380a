/** Memory of a data directory for the command line, also beside a running mom: the index is a file that both may use. */
import { join } from "node:path";
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";
import type { Memory } from "../contracts/memory.ts";
import type { Store } from "../contracts/store.ts";
import { checkMemory, createEmbedder, type MemoryFinding } from "../memory/index.ts";
import { buildLayout, createAuthFile } from "../store/index.ts";
import type { MomConfig } from "./config-schema.ts";
import { createMemoryRoom } from "./create-memory-room.ts";
import { createKeyFinder } from "./find-key.ts";
import { pickWorkspaceDir } from "./list-agent-folders.ts";

export interface OpenMemoryParts {
  dataDir: string;
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  log: Log;
  store: Pick<Store, "sessions" | "transcripts">;
  config: MomConfig;
}

/** To be closed. */
export function openMemory({ dataDir, env, clock, log, store, config }: OpenMemoryParts): Memory {
  const layout = buildLayout(dataDir);
  const authFile = createAuthFile({ path: layout.authPath, clock, log });
  const { memory } = createMemoryRoom({
    layout,
    clock,
    log,
    store,
    config: () => config,
    workspaceDirOf: (agentId) => pickWorkspaceDir(layout, agentId, config.agents[agentId]?.workspace),
    keyOf: createKeyFinder({ authFile, env }),
  });
  return memory;
}

/** For `mom doctor`. Never rejects. */
export async function examineMemory(
  { dataDir, env, clock, log, config }: Omit<OpenMemoryParts, "store">,
  options: { offline: boolean },
): Promise<MemoryFinding> {
  const layout = buildLayout(dataDir);
  const keyOf = createKeyFinder({ authFile: createAuthFile({ path: layout.authPath, clock, log }), env });
  const deps = { fetch: globalThis.fetch, clock, log, keyOf, packsDir: join(dataDir, "packs") };
  return checkMemory({ clock, createEmbedder: (settings) => createEmbedder(deps, settings) }, config.memory, options);
}
