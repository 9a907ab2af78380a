/** `/verbose`: are tool calls and thoughts shown while mom works? */
import type { Command } from "../contracts/command.ts";
import type { CommandDeps } from "./command-deps.ts";
import { pickChoice } from "./text/arguments.ts";

export function buildVerboseCommand({ sessions }: Pick<CommandDeps, "sessions">): Command {
  const command: Command = {
    name: "verbose",
    usage: "[on|off]",
    summary: "show or hide what I do while I work",
    immediate: true,
    async run({ session, args }) {
      if (args === "") {
        return session.isQuiet
          ? "Tool calls are hidden while I work. `/verbose on` shows them."
          : "Tool calls are shown while I work, as far as this channel can. `/verbose off` hides them.";
      }
      const isQuiet = pickChoice(command, args, ["on", "off"]) === "off";
      await sessions.choose(session.sessionKey, { isQuiet: isQuiet ? true : null });
      return isQuiet
        ? "From the next message on I only show answers, not tool calls."
        : "From the next message on I show tool calls while I work.";
    },
  };
  return command;
}
