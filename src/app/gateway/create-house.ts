/** The house behind the gateway's port, joined from the rooms that have what its methods ask for. */
import type { AgentFacts, GatewayHouse, GatewayWatch } from "../../contracts/gateway.ts";
import type { ChannelRef } from "../../contracts/message.ts";
import type { Logger } from "../../observability/index.ts";
import { mainAgentId } from "../../sessions/index.ts";
import { type AutomationRooms, buildHouseAutomation } from "./house-automation.ts";
import { buildHouseChannels } from "./house-channels.ts";
import { createHouseConfig } from "./house-config.ts";
import { createHouseLogs } from "./house-logs.ts";
import { buildHouseModels } from "./house-models.ts";
import { buildHouseTalk } from "./house-talk.ts";
import { createPassingChats } from "./passing-chats.ts";
import { webchatName } from "./webchat.ts";

type TalkParts = Parameters<typeof buildHouseTalk>[0];
type ModelParts = Parameters<typeof buildHouseModels>[0];
type ChannelParts = Parameters<typeof buildHouseChannels>[0];
type ConfigParts = Parameters<typeof createHouseConfig>[0];

export interface HouseParts
  extends Omit<TalkParts, "agentIds">,
    Omit<ModelParts, "kv" | "mainAgentId" | "explain">,
    Omit<ChannelParts, "edit" | "kv" | "log">,
    ConfigParts,
    Pick<GatewayHouse, "version" | "status" | "isReady" | "whenOver" | "answerApproval" | "isRunning"> {
  workspaceDir: string;
  logsDir: string;
  log: Logger;
  examine: GatewayHouse["examine"];
  forgetChat(channel: ChannelRef): Promise<void>;
  /** Jobs, heartbeats, subagents, memory: those that there are. Absent: none of them. */
  automation?: (() => AutomationRooms) | undefined;
  onMemory: GatewayWatch["memoryChanged"];
  listCommands(): { name: string; summary: string; usage?: string }[];
}

export function createHouse(parts: HouseParts): GatewayHouse {
  const { dataDir, env, clock, log, store, models } = parts;
  const { kv } = store;
  const config = createHouseConfig(parts);
  const agentIds = () => [...new Set([mainAgentId, ...Object.keys(parts.config().agents)])];
  const talk = buildHouseTalk({ ...parts, agentIds });
  const passing = createPassingChats({
    ...parts,
    chatOf: (agentId, name) => ({
      adapter: parts.webchat()?.name ?? webchatName,
      channelId: `api/${agentId}/${name}`,
    }),
  });
  void passing.sweep().catch((error: unknown) => log.warn("Passing conversations could not be looked up", { error }));
  return {
    ...talk,
    ...buildHouseChannels({ ...parts, edit: config.edit, kv }),
    ...buildHouseAutomation(
      { ...parts.automation?.() },
      { clock, standIn: talk.standIn, mainSessionKey: talk.mainSessionKey, models, onMemory: parts.onMemory },
    ),
    ...buildHouseModels({ ...parts, kv, mainAgentId, explain: { dataDir, env, clock, log, store } }),
    version: parts.version,
    dataDir,
    workspaceDir: parts.workspaceDir,
    store,
    isReady: parts.isReady,
    status: parts.status,
    whenOver: parts.whenOver,
    isRunning: parts.isRunning,
    answerApproval: parts.answerApproval,
    ...(parts.examine && { examine: parts.examine }),
    config,
    logs: createHouseLogs(parts),
    async say(said) {
      const { to } = said;
      if (to.type !== "named" || !to.isPassing) return talk.say(said);
      return passing.say({ ...said, to }, talk.say);
    },
    async agents() {
      const found = agentIds().map(async (id): Promise<AgentFacts[]> => {
        const mainSessionKey = talk.mainSessionKey(id);
        if (mainSessionKey === undefined) return [];
        const { agents } = parts.config();
        const resolved = await models.resolve((agents[id] ?? agents[mainAgentId])?.model);
        return [{ id, model: resolved.type === "model" ? resolved.model.ref : resolved.message, mainSessionKey }];
      });
      return (await Promise.all(found)).flat();
    },
    async commands(agentId) {
      const workspace = parts.workspaceOf(agentId);
      const [templates, { skills }] = await Promise.all([workspace.templates(), workspace.skills()]);
      return [
        ...parts.listCommands().map((command) => ({ ...command, kind: "command" as const })),
        ...templates.map(({ name, description, argumentHint }) => ({
          name,
          summary: description,
          ...(argumentHint !== undefined && { usage: argumentHint }),
          kind: "template" as const,
        })),
        ...skills
          .filter(({ isUserInvocable, missing }) => isUserInvocable && missing.length === 0)
          .map(({ name, description }) => ({ name: `skill:${name}`, summary: description, kind: "skill" as const })),
      ];
    },
  };
}
