/** What a session's next request would be made of, without starting anything: for `mom prompt show`, also beside a running mom. */
import { AgentError } from "../base/errors.ts";
import type { ContextReport } from "../contracts/agent.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";
import type { SessionEntry } from "../contracts/session.ts";
import type { Store } from "../contracts/store.ts";
import { buildLayout } from "../store/index.ts";
import type { ToolDoors } from "../tools/index.ts";
import type { MomConfig } from "./config-schema.ts";
import { createAgentRoom } from "./create-agent-room.ts";
import { createMemoryRoom } from "./create-memory-room.ts";
import { buildLeads } from "./find-leads.ts";
import { pickWorkspaceDir } from "./list-agent-folders.ts";

export interface DescribeParts {
  dataDir: string;
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  log: Log;
  store: Store;
  config: MomConfig;
}

/** People and channels of the platform are only known to a mom that is connected to it; they are left out here. */
export async function describeSession(parts: DescribeParts, session: SessionEntry): Promise<ContextReport> {
  const { dataDir, config, ...rest } = parts;
  const refuse = async () => {
    throw new AgentError("ONLY_LOOKING", "Nothing is run while a prompt is shown");
  };
  const layout = buildLayout(dataDir);
  const memory = createMemoryRoom({
    ...rest,
    layout,
    config: () => config,
    workspaceDirOf: (agentId) => pickWorkspaceDir(layout, agentId, config.agents[agentId]?.workspace),
    keyOf: refuse,
  });
  const closed = new Proxy({}, { get: () => refuse });
  const doors = {
    cron: closed,
    subagents: closed,
    sessions: closed,
    memory: closed,
    leadsSomewhere: buildLeads({ store: rest.store, memory, config: () => config }),
  } as ToolDoors;
  const room = await createAgentRoom({
    ...rest,
    layout,
    config,
    learnSecrets: () => undefined,
    doors: () => doors,
    directory: { adapters: () => [] },
    channelTools: () => [],
    onPosted: () => undefined,
    onWaiting: () => undefined,
    isOnlyLooking: true,
    adapter: (name) => ({ type: config.adapters[name]?.type ?? "unknown", owners: [], capabilities: [] }),
  });
  try {
    return await room.agent.describeContext(session, { adapter: session.lastChannel.adapter, users: [], channels: [] });
  } finally {
    await room.close();
  }
}
