/** Commands' face. */
export { answerCommand } from "./answer.ts";
export type { CommandDeps, StatusFacts } from "./command-deps.ts";
export { createCommands } from "./create-commands.ts";
