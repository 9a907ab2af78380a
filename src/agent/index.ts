/** The agent's face. */
export { createAgent } from "./create-agent.ts";
