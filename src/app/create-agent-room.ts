/**
 * The agent with what it stands on: models, tools, workspaces, budgets. Made for a running mom by `create-app`, and for a
 * look at a session's prompt by `describe-session`. Follows the config as it changes.
 */
import { existsSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { join } from "node:path";
import { type ChannelFacts, createAgent, type ToolPlace } from "../agent/index.ts";
import { findPackageDir } from "../base/package-dir.ts";
import type { MomAgent } from "../contracts/agent.ts";
import type { AuthStore } from "../contracts/auth.ts";
import type { ModelProvider } from "../contracts/model.ts";
import { createBudgets, createModels } from "../models/index.ts";
import { buildSessionKey, mainAgentId } from "../sessions/index.ts";
import { createAuthFile } from "../store/index.ts";
import { createSkillLibrary, createWorkspace, findBundledSkills } from "../workspace/index.ts";
import { type AgentSet, createAgentSet, ensureWorkspaces } from "./agents.ts";
import { createAskModel } from "./ask-model.ts";
import type { MomConfig } from "./config-schema.ts";
import { createToolRoom, type HouseParts, type ToolRoom } from "./create-tool-room.ts";
import { createKeyFinder } from "./find-key.ts";
import { readImage } from "./read-image.ts";
import { createSwitch } from "./switch.ts";

export interface AgentRoom {
  readonly agent: MomAgent;
  readonly tools: ToolRoom;
  readonly models: ModelProvider;
  readonly agents: AgentSet;
  readonly authFile: AuthStore;
  /** The operator's key of a provider, for what is asked beside the models (embeddings). Undefined: there is none. */
  keyOf(provider: string): Promise<string | undefined>;
  /** No model may be asked on the agent's own account. */
  isOverBudget(agentId: string): Promise<boolean>;
  /** Takes over an edited config. */
  follow(next: MomConfig): Promise<void>;
  close(): Promise<void>;
}

export interface AgentRoomParts extends HouseParts {
  adapter(name: string): ChannelFacts;
  /** What the prompt says of event files and heartbeats. Absent: nothing. */
  ownDoings?(scope: ToolPlace): { eventsDoc?: string; heartbeatPrompt?: string };
  /** Gets every key before it is used. */
  learnSecrets(secrets: readonly string[]): void;
  wrapModels?(models: ModelProvider): ModelProvider;
}

export async function createAgentRoom(parts: AgentRoomParts): Promise<AgentRoom> {
  const { layout, env, clock, log, store } = parts;
  let current = parts.config;
  const docsDir = findDocs();
  const agents = buildAgentSet(parts, () => current, docsDir === undefined ? [] : [docsDir]);

  const authFile = createAuthFile({ path: layout.authPath, clock, log });
  const findKey = createKeyFinder({ authFile, env });
  const buildModels = (config: MomConfig) => {
    const created = createModels(
      { clock, log, env, auth: authFile, authOrder: config.auth.order, learnSecrets: parts.learnSecrets },
      config.models,
    );
    return parts.wrapModels?.(created) ?? created;
  };
  const models = createSwitch<ModelProvider>(buildModels(current));
  const budgets = createBudgets({
    usage: store.usage,
    kv: store.kv,
    clock,
    budgetsOf: (agentId) => pickAgent(current.agents, agentId)?.budget ?? [],
  });
  const tools = await createToolRoom({
    ...parts,
    homeDir: env["HOME"] ?? homedir(),
    foldersOf: agents.foldersOf,
    agentFolders: agents.writableFolders,
    askModel: createAskModel({
      models: models.port,
      budgets,
      usage: store.usage,
      clock,
      pictureModel: () => current.tools.image.model,
    }),
  });
  const agent = createAgent({
    models: models.port,
    toolbox: tools.toolbox,
    inbox: store.inbox,
    sessions: store.sessions,
    transcripts: store.transcripts,
    usage: store.usage,
    kv: store.kv,
    standingOrders: store.standingOrders,
    budgets,
    noteOutside: tools.desk.noteOutside,
    clock,
    log,
    profileOf: agents.profileOf,
    workspaceOf: agents.workspaceOf,
    readImage: (file) => readImage(layout.workspaceDir, file),
    surroundings: {
      host: { name: hostname(), os: process.platform, arch: process.arch, node: process.version },
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      ...(docsDir !== undefined && { docsDir }),
      channelFolder: layout.channelFolder,
      workDir: agents.workDir,
      toToolPath: agents.toToolPath,
      adapter: parts.adapter,
      ownDoings: (scope) => parts.ownDoings?.(scope) ?? {},
    },
  });
  return {
    agent,
    tools,
    models: models.port,
    agents,
    authFile,
    async keyOf(provider) {
      const key = await findKey(provider);
      if (key !== undefined) parts.learnSecrets([key]);
      return key;
    },
    async isOverBudget(agentId) {
      const asker = { agentId, sessionKey: buildSessionKey(agentId, { type: "main" }), sender: "" };
      return (await budgets.check(asker)).type === "refused";
    },
    async follow(next) {
      current = next;
      await ensureWorkspaces(layout, next);
      await models.port.close();
      models.use(buildModels(next));
      await tools.follow(next);
    },
    async close() {
      await tools.close();
      await agents.close();
      await models.port.close();
    },
  };
}

/** Her own documentation, so that she can look up how she works. */
function findDocs(): string | undefined {
  const folder = join(findPackageDir() ?? "", "docs");
  return existsSync(folder) ? folder : undefined;
}

function buildAgentSet(
  { layout, env, clock, log, store }: AgentRoomParts,
  config: () => MomConfig,
  readable: readonly string[],
): AgentSet {
  const { dataDir } = layout;
  const homeDir = env["HOME"] ?? homedir();
  const bundledDir = findBundledSkills();
  const seen = {
    has: async (hash: string) => (await store.kv.get("skill-seen", hash)) === true,
    add: (hash: string) => store.kv.set("skill-seen", hash, true),
  };
  return createAgentSet({
    layout,
    config,
    readable,
    createSkills: ({ workspaceDir }) =>
      createSkillLibrary({
        workspaceDir,
        channelRoot: layout.workspaceDir,
        dataDir,
        homeDir,
        bundledDir,
        config: () => config().skills,
        path: env["PATH"] ?? "",
        platform: process.platform,
        env,
        hasSetting: (path) => hasSetting(config(), path),
        seen,
        clock,
        log,
      }),
    createWorkspace: ({ workspaceDir, workDir }, skills) =>
      createWorkspace({
        workspaceDir,
        channelRoot: layout.workspaceDir,
        dataDir,
        homeDir,
        skills,
        clock,
        log,
        ...(workDir !== workspaceDir && { workDir }),
      }),
  });
}

/** An agent that was taken out of the config goes on with main's limits, never without any. */
const pickAgent = (agents: MomConfig["agents"], agentId: string) => agents[agentId] ?? agents[mainAgentId];

/** Is there something at this dotted path of the config? */
function hasSetting(config: MomConfig, path: string): boolean {
  let value: unknown = config;
  for (const key of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return false;
    value = Reflect.get(value, key);
  }
  return value !== undefined && value !== null && value !== false && value !== "";
}
