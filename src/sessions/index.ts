/** Sessions' face: how they are named, how they wait, and the lanes that run their turns. */
export { queueConfig } from "./config.ts";
export { createLanes } from "./lanes.ts";
export { buildChatRoute, buildMainRoute } from "./session-key.ts";
