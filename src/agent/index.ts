/** The agent's face. */
export type { ChannelFacts, ToolPlace } from "./agent-deps.ts";
export type { AgentProfile } from "./agent-profile.ts";
export { agentConfig } from "./config.ts";
export { createAgent } from "./create-agent.ts";
export { formatPromptReport } from "./prompt/prompt-report.ts";
export { createSubagents, type SubagentRoom, subagentsConfig } from "./subagents/index.ts";
