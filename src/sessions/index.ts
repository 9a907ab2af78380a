/** The sessions' face. */
export { queueConfig, routesConfig, sessionsConfig } from "./config.ts";
export { createLanes } from "./lanes.ts";
export { openSession } from "./open-session.ts";
export { mainAgentId, pickAgent } from "./pick-agent.ts";
export { pickQueueMode } from "./pick-queue-mode.ts";
export { buildRoute } from "./session-key.ts";
