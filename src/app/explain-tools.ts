/** Which tools a session may use and why not the others, without starting anything: for `mom tools list`, also beside a running mom. */
import { accessRulesOf, findClosedTool, listChannelTools } from "../channels/index.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Log } from "../contracts/log.ts";
import type { ChannelRef } from "../contracts/message.ts";
import type { SessionType } from "../contracts/session.ts";
import type { Store } from "../contracts/store.ts";
import { createModels } from "../models/index.ts";
import { mainAgentId } from "../sessions/index.ts";
import { buildLayout, createAuthFile } from "../store/index.ts";
import {
  checkToolNames,
  isCustomToolName,
  isOwnName,
  type KnownTool,
  type ListedTool,
  listTools,
  toChannelTool,
} from "../tools/index.ts";
import type { MomConfig } from "./config-schema.ts";
import { createExecutor } from "./create-executor.ts";
import { type CustomTools, findCustomTools, toNameSurroundings, toPolicyTool } from "./custom-tools.ts";

export interface ExplainParts {
  dataDir: string;
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  log: Log;
  /** Undefined where mom was never started: then there are no standing orders, and no custom tool is known. */
  store: Store | undefined;
  config: MomConfig;
}

/** Whose tools are meant. What is left out is not held against any rule. */
export interface ToolQuestion {
  type: SessionType;
  agentId: string;
  channel?: ChannelRef | undefined;
  /** The platform's immutable id. Absent: the owner in a main session, a stranger in any other. */
  senderId?: string | undefined;
  /** `provider/model`, a name or an alias. Absent: the agent's, else the default. */
  model?: string | undefined;
  /** A tool that is asked for by name. One that nobody knows is taken for a custom tool where there are such unknown ones. */
  why?: string | undefined;
}

export interface ToolsAnswer {
  /** Undefined when none answers: rules for providers and models are then left out, and `modelProblem` says why. */
  model: string | undefined;
  modelProblem?: string;
  tools: ListedTool[];
  /** What is kept of the custom tools among `tools`. */
  known: KnownTool[];
  /** Folders with custom tools that mom has not loaded: what those are called is not known. */
  customTools: number;
  /** The name that was asked for is no known tool's; it is among `tools` as the custom tool that it may be. */
  guessed?: string;
  /** Names in the config that mean nothing. */
  warnings: string[];
}

export async function explainTools(parts: ExplainParts, question: ToolQuestion): Promise<ToolsAnswer> {
  const { config, store } = parts;
  const { type, agentId, channel, senderId } = question;
  const pickAgent = (id: string) => config.agents[id] ?? config.agents[mainAgentId];
  const { model, modelProblem } = await resolveModel(parts, question.model ?? pickAgent(agentId)?.model);
  const custom = await findCustomTools({ ...parts, kv: store?.kv });
  const guessed = pickGuess(question.why, custom);
  const around = toNameSurroundings(custom);
  const adapterType = (channel && config.adapters[channel.adapter]?.type) ?? "";
  const tools = await listTools(
    {
      tools: config.tools,
      agentTools: (id) => pickAgent(id)?.tools,
      modelAliases: config.models.aliases,
    },
    {
      sessionType: type,
      agentId,
      model: model ?? "",
      channel: {
        adapter: channel?.adapter ?? "",
        adapterType,
        channelId: channel?.channelId ?? "",
      },
      sender: {
        id: senderId ?? "",
        isAdmin: senderId === undefined ? type === "main" : await isAdmin(config, channel, senderId),
      },
      sandbox: await findSandbox(parts),
    },
    (await store?.standingOrders.list(agentId)) ?? [],
    [
      ...custom.known.map(({ name }) => toPolicyTool(name)),
      ...(guessed === undefined ? [] : [toPolicyTool(guessed)]),
      ...listToolsOf(config, adapterType),
    ],
  );
  const { agents, adapters } = config;
  return {
    model,
    ...(modelProblem !== undefined && { modelProblem }),
    tools,
    known: custom.known,
    customTools: custom.unlisted,
    ...(guessed !== undefined && { guessed }),
    warnings: await checkToolNames(config.tools, { agents, adapters, ...around }),
  };
}

/** The platform's own tools, with why the operator does not want one used. */
function listToolsOf({ channels }: MomConfig, adapterType: string) {
  return listChannelTools()
    .filter(({ type }) => type === adapterType)
    .map(({ name, type }) => ({ ...toChannelTool(name, type), closed: findClosedTool(channels, type, name) }));
}

/** A name that a custom tool of the unknown ones may have. */
function pickGuess(why: string | undefined, { known, unlisted }: CustomTools): string | undefined {
  const name = why?.trim().toLowerCase();
  if (name === undefined || unlisted === 0 || !isCustomToolName(name) || isOwnName(name)) return undefined;
  return known.some((tool) => tool.name === name) ? undefined : name;
}

/** Can tools be run as the config asks for it? Looked up here and now, as a mom that starts would. */
async function findSandbox({ config, ...parts }: ExplainParts) {
  const executor = await createExecutor(parts, config.sandbox);
  try {
    const { ok, detail, hint } = await executor.check();
    const reason = hint === undefined ? detail : `${detail}. ${hint}`;
    return { mode: executor.mode, available: ok || { reason }, isConfined: executor.mode !== "host" };
  } finally {
    await executor.close();
  }
}

async function resolveModel(
  { dataDir, env, clock, log, config }: ExplainParts,
  ref: string | undefined,
): Promise<{ model: string | undefined; modelProblem?: string }> {
  const auth = createAuthFile({ path: buildLayout(dataDir).authPath, clock, log });
  const models = createModels({ clock, log, env, auth, authOrder: config.auth.order }, config.models);
  try {
    const resolved = await models.resolve(ref);
    if (resolved.type === "model") return { model: resolved.model.ref };
    // A model without a key can be asked about all the same.
    return ref?.includes("/") ? { model: ref } : { model: undefined, modelProblem: resolved.message };
  } finally {
    await models.close();
  }
}

async function isAdmin({ adapters }: MomConfig, channel: ChannelRef | undefined, senderId: string): Promise<boolean> {
  const adapter = channel && adapters[channel.adapter];
  if (!adapter) return false;
  return accessRulesOf(adapter).admins.includes(senderId);
}
