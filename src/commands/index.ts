/** Commands' face. */
export { answerCommand } from "./answer.ts";
export { createCommands } from "./create-commands.ts";
export type { StatusFacts } from "./status.ts";
