/**
 * The layers of tool policy, in the order in which they apply (spec 5.4). Each is a pure function that can only remove,
 * and says by which rule. A layer yet to come is one more entry in the list.
 */
import type { SessionType } from "../../contracts/session.ts";
import type { AgentToolsConfig, ToolsConfig } from "../config.ts";
import { type PolicyTool, pickMeaning } from "./tool-names.ts";

/** Everything that a decision may depend on. Decisions are cached by it. */
export interface PolicyInput {
  config: ToolsConfig;
  /** What the session's agent has of its own. */
  agent?: AgentToolsConfig | undefined;
  sessionType: SessionType;
}

export interface PolicyLayer {
  name: string;
  /** The rule that removes the tool; undefined leaves it to the next layer. */
  removes(tool: PolicyTool, input: PolicyInput): string | undefined;
}

const profiles: Record<ToolsConfig["profile"], readonly string[]> = {
  minimal: ["session_status"],
  coding: ["group:fs", "group:runtime", "group:sessions", "group:memory", "image"],
  messaging: ["group:messaging", "sessions_list", "sessions_history", "sessions_send", "session_status"],
  full: ["*"],
};

const readOnlyFiles = ["read", "ls", "find", "grep"];

/** What people who are only partly trusted may set off. Types that are missing here are not restricted. */
const sessionAllows: Partial<Record<SessionType, readonly string[]>> = {
  dm: [...readOnlyFiles, "group:messaging"],
  group: readOnlyFiles,
  topic: readOnlyFiles,
};

const neverForSubagents = [
  "sessions_list",
  "sessions_history",
  "sessions_send",
  "sessions_spawn",
  "gateway",
  "agents_list",
  "session_status",
  "cron",
  "memory_search",
  "memory_get",
];

function removeByLists(tool: PolicyTool, lists: AgentToolsConfig, where: string): string | undefined {
  const denied = pickMeaning(tool, lists.deny);
  if (denied !== undefined) return `denied by "${denied}" in ${where}.deny`;
  const isListed = lists.allow.length === 0 || pickMeaning(tool, lists.allow) !== undefined;
  return isListed ? undefined : `not in ${where}.allow`;
}

export const policyLayers: readonly PolicyLayer[] = [
  {
    name: "profile",
    removes: (tool, { config }) =>
      pickMeaning(tool, profiles[config.profile]) === undefined ? `not in profile "${config.profile}"` : undefined,
  },
  {
    name: "global",
    removes: (tool, { config }) => removeByLists(tool, config, "tools"),
  },
  {
    name: "agent",
    removes: (tool, { agent }) => (agent === undefined ? undefined : removeByLists(tool, agent, "the agent's tools")),
  },
  {
    name: "session type",
    removes(tool, { sessionType }) {
      const allowed = sessionAllows[sessionType];
      if (allowed === undefined || pickMeaning(tool, allowed) !== undefined) return undefined;
      return `a ${sessionType} session has ${allowed.join(", ")} only`;
    },
  },
  {
    name: "subagent",
    removes: (tool, { sessionType }) =>
      sessionType === "subagent" && pickMeaning(tool, neverForSubagents) !== undefined
        ? "subagents never have it"
        : undefined,
  },
];
