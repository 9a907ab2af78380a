/**
 * `/stop`, or just `stop`. The turns are stopped the moment the message is taken in, before any queue; this ends the subagents
 * that the conversation has sent, and answers.
 */
import type { Command } from "../contracts/command.ts";
import type { CommandDeps } from "./command-deps.ts";
import { badArguments } from "./text/arguments.ts";
import { formatNumber } from "./text/format-values.ts";

export function buildStopCommand({ subagents }: Pick<CommandDeps, "subagents">): Command {
  const command: Command = {
    name: "stop",
    summary: "end what I am doing now",
    immediate: true,
    async run({ turn, args, session }) {
      // With more words it is not taken for a stop on the way in, so it must not be answered as one.
      if (args !== "") throw badArguments(command, "Nothing was stopped: say just `stop`, without more words");
      const { running, waiting } = turn.stopped ?? { running: 0, waiting: 0 };
      const children = await subagents.stopAllOf(session.sessionKey, turn.id);
      if (running + waiting + children === 0) return "There was nothing to stop.";
      const parts = [
        ...(running > 0 ? ["Stopped"] : []),
        ...(children > 0 ? [`${formatNumber(children, "subagent was", "subagents were")} stopped`] : []),
        ...(waiting > 0 ? [`${formatNumber(waiting, "waiting message was", "waiting messages were")} dropped`] : []),
      ];
      return `${parts.join("; ")}.`;
    },
  };
  return command;
}
