/** The agent's face. */
export type { ChannelFacts } from "./agent-deps.ts";
export type { AgentProfile } from "./agent-profile.ts";
export { agentConfig } from "./config.ts";
export { createAgent } from "./create-agent.ts";
export { formatPromptReport } from "./prompt/prompt-report.ts";
