/** `/queue`: what a message does that comes while mom works. */
import type { Command } from "../contracts/command.ts";
import type { QueueMode } from "../contracts/session.ts";
import type { CommandDeps } from "./command-deps.ts";
import { refuseChange } from "./text/admin-change.ts";
import { pickChoice } from "./text/arguments.ts";

const meanings: Record<QueueMode, string> = {
  steer: "I see it after the tool call that runs, and take it into account",
  followup: "it waits, and gets an answer of its own",
  collect: "all that wait are answered together",
  interrupt: "I stop what I am doing and turn to it",
};
const modes = Object.keys(meanings) as QueueMode[];

export function buildQueueCommand({ sessions, queueModeOf }: Pick<CommandDeps, "sessions" | "queueModeOf">): Command {
  const command: Command = {
    name: "queue",
    usage: `[${modes.join("|")}|default]`,
    summary: "show or choose what a message does that comes while I work",
    immediate: true,
    async run({ session, isAdmin, turn, args }) {
      const refusal = refuseChange({ isAdmin, args }, "the queue");
      if (refusal !== undefined) return refusal;
      if (args === "") {
        const mode = queueModeOf(turn.adapter, session);
        const why = session.queueMode === undefined ? "this channel's default" : "chosen here";
        return [
          `A message that comes while I work: **${mode}** (${why})`,
          ...modes.map((each) => `- \`${each}\` ${meanings[each]}`),
        ].join("\n");
      }
      const choice = pickChoice(command, args, [...modes, "default"]);
      const chosen = await sessions.choose(session.sessionKey, { queueMode: choice === "default" ? null : choice });
      const mode = queueModeOf(turn.adapter, chosen);
      return `A message that comes while I work, from now on: **${mode}**${choice === "default" ? " (this channel's default)" : ""}: ${meanings[mode]}.`;
    },
  };
  return command;
}
