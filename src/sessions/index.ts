/** The sessions' face. */
export { buildErrandLetter } from "./build-errand-letter.ts";
export { queueConfig, routesConfig, sessionsConfig } from "./config.ts";
export { createLanes } from "./lanes.ts";
export { openSession } from "./open-session.ts";
export { mainAgentId, pickAgent } from "./pick-agent.ts";
export { pickQueueMode } from "./pick-queue-mode.ts";
export { buildRoute, buildSessionKey } from "./session-key.ts";
