/** Policy for tests: every tool of mom's own and some that are not, a turn in the owner's session, and what differs from it. */
import { type AgentToolsConfig, agentToolsConfig, toolsConfig } from "../../src/tools/config.ts";
import type { PolicyConfig } from "../../src/tools/policy/build-rules.ts";
import { nativeNames } from "../../src/tools/policy/native-names.ts";
import type { PolicyInput } from "../../src/tools/policy/policy-input.ts";
import type { PolicyTool } from "../../src/tools/policy/tool-names.ts";

/** What is not said is as in the owner's own session on the host. */
export interface Situation {
  type?: PolicyInput["sessionType"];
  agentId?: string;
  model?: string;
  adapter?: string;
  adapterType?: string;
  channelId?: string;
  sender?: string;
  isAdmin?: boolean;
  /** The sandbox that tools run in. */
  confined?: string;
  /** Why the sandbox cannot be had. */
  missing?: string;
  /** The session that an errand works for. */
  principal?: Pick<Situation, "type" | "agentId" | "adapter" | "adapterType" | "channelId" | "sender">;
  only?: readonly string[];
}

export const ownTools: readonly PolicyTool[] = Object.entries(nativeNames).flatMap(([group, names]) =>
  names.map((name) => ({ name, group, ...(name === "attach" && { needsMachine: true }) })),
);
export const otherTools: readonly PolicyTool[] = [
  { name: "weather", group: "host", origin: "host" },
  { name: "getStock", group: "fs", origin: "plugin" },
  { name: "slack_react", group: "slack", origin: "channel" },
  { name: "mcp-files", group: "files", origin: "mcp", needsMachine: false },
];
export const allTools: readonly PolicyTool[] = [...ownTools, ...otherTools];

export function buildInput(at: Situation = {}): PolicyInput {
  const { adapter = "work", adapterType = "slack", channelId = "C1", sender = "U1", confined, missing } = at;
  return {
    sessionType: at.type ?? "main",
    agentId: at.agentId ?? "main",
    model: at.model ?? "lab/m1",
    channel: { adapter, adapterType, channelId },
    sender: { id: sender, isAdmin: at.isAdmin ?? true },
    sandbox: {
      mode: confined ?? "host",
      available: missing === undefined ? true : { reason: missing },
      isConfined: confined !== undefined,
    },
    ...(at.principal && { principal: buildPrincipal(at.principal) }),
    ...(at.only && { only: at.only }),
  };
}

function buildPrincipal(at: NonNullable<Situation["principal"]>): NonNullable<PolicyInput["principal"]> {
  const { sessionType, agentId, channel, sender } = buildInput(at);
  return { sessionType, agentId, channel, senderId: sender.id };
}

/** `agents` by id, as they stand under `agents.<id>.tools`. */
export function buildPolicyConfig(tools: object = {}, agents: Record<string, object> = {}): PolicyConfig {
  const parsed: Record<string, AgentToolsConfig> = Object.fromEntries(
    Object.entries(agents).map(([id, own]) => [id, agentToolsConfig.parse(own)]),
  );
  return {
    tools: toolsConfig.parse(tools),
    agentTools: (id) => parsed[id],
    modelAliases: { fast: "openai/gpt-mini" },
  };
}
