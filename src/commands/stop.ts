/** `/stop`, or just `stop`. The stopping itself is done the moment the message is taken in, before any queue; this answers. */
import type { Command } from "../contracts/command.ts";
import { badArguments } from "./text/arguments.ts";
import { formatNumber } from "./text/format-values.ts";

export function buildStopCommand(): Command {
  const command: Command = {
    name: "stop",
    summary: "end what I am doing now",
    immediate: true,
    async run({ turn, args }) {
      // With more words it is not taken for a stop on the way in, so it must not be answered as one.
      if (args !== "") throw badArguments(command, "Nothing was stopped: say just `stop`, without more words");
      const { running, waiting } = turn.stopped ?? { running: 0, waiting: 0 };
      if (running + waiting === 0) return "There was nothing to stop.";
      const dropped = `${formatNumber(waiting, "waiting message was", "waiting messages were")} dropped`;
      return waiting === 0 ? "Stopped." : `${running === 0 ? "" : "Stopped; "}${dropped}.`;
    },
  };
  return command;
}
