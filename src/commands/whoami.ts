/** `/whoami`: who the sender is to mom. Rights hang on the id, so this is what an operator needs to grant them. */
import type { Command } from "../contracts/command.ts";
import { ensureNoArguments } from "./text/arguments.ts";
import { toCode } from "./text/foreign-text.ts";

export function buildWhoamiCommand(): Command {
  const command: Command = {
    name: "whoami",
    summary: "your id, this chat, and whether you are an admin",
    immediate: true,
    async run({ turn, session, isAdmin, adapterType, args }) {
      ensureNoArguments(command, args);
      const { id, username, displayName } = turn.message.sender;
      const shown = displayName === undefined || displayName === username ? "" : ` (${toCode(displayName, 80)})`;
      return [
        `- you: ${toCode(username, 80)}${shown}`,
        `- id: ${toCode(id)}`,
        `- admin here: ${isAdmin ? "yes" : "no"}`,
        `- adapter: ${toCode(turn.adapter)} (${toCode(adapterType)})`,
        `- chat: ${toCode(turn.message.channelId)}`,
        `- session: ${toCode(session.sessionKey)} (${session.type}, agent ${toCode(session.agentId)})`,
      ].join("\n");
    },
  };
  return command;
}
