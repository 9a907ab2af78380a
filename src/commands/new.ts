/** `/new`: a fresh conversation. The old transcript is kept beside the new one. */
import type { Command } from "../contracts/command.ts";
import type { CommandDeps } from "./command-deps.ts";
import { ensureNoArguments } from "./text/arguments.ts";

export function buildNewCommand({ sessions }: Pick<CommandDeps, "sessions">): Command {
  const command: Command = {
    name: "new",
    aliases: ["reset"],
    summary: "start a fresh conversation (the old one is kept; `/resume` goes back to it)",
    async run({ session, turn, args }) {
      ensureNoArguments(command, args);
      await sessions.reset(session.sessionKey, turn.id);
      return "A fresh conversation. What was said before is kept in the channel's folder, but I no longer have it in mind; `/resume` brings it back.";
    },
  };
  return command;
}
