/** Subagents and talk between sessions: the face to the agent room. */
export { subagentsConfig } from "./config.ts";
export { createSubagents, type SubagentRoom } from "./create-subagents.ts";
