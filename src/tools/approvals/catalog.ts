/** The parser of command lines, loaded when a rule is first asked for: most days there is none. */
import type { parseCommand } from "./parse-command.ts";

export const loadParser = async (): Promise<typeof parseCommand> => (await import("./parse-command.ts")).parseCommand;
