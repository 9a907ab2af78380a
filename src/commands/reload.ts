/** `/reload` and `/restart`: begin again with the config as it is now, without or with a new process. */
import type { Command } from "../contracts/command.ts";
import type { CommandDeps } from "./command-deps.ts";
import { ensureNoArguments } from "./text/arguments.ts";
import { toReport } from "./text/foreign-text.ts";

export function buildReloadCommand({ reload }: Pick<CommandDeps, "reload">): Command {
  const command: Command = {
    name: "reload",
    summary: "read the config again",
    adminOnly: true,
    immediate: true,
    async run({ args }) {
      ensureNoArguments(command, args);
      return toReport(await reload());
    },
  };
  return command;
}

export function buildRestartCommand({ restart }: Pick<CommandDeps, "restart">): Command {
  const command: Command = {
    name: "restart",
    summary: "restart mom; what runs goes on afterwards",
    adminOnly: true,
    immediate: true,
    async run({ args, turn }) {
      ensureNoArguments(command, args);
      restart(turn.id);
      return "Restarting. What I was working on goes on afterwards.";
    },
  };
  return command;
}
