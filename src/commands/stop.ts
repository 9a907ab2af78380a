/** `/stop`, or just `stop`. The stopping itself is done the moment the message is taken in, before any queue; this answers. */
import type { Command } from "../contracts/command.ts";

export function buildStopCommand(): Command {
  return {
    name: "stop",
    summary: "end what I am doing now",
    immediate: true,
    async run({ turn }) {
      const { running, waiting } = turn.stopped ?? { running: 0, waiting: 0 };
      if (running + waiting === 0) return "There was nothing to stop.";
      const dropped = waiting === 1 ? "1 waiting message was dropped" : `${waiting} waiting messages were dropped`;
      return waiting === 0 ? "Stopped." : `${running === 0 ? "" : "Stopped; "}${dropped}.`;
    },
  };
}
