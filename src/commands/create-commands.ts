/** Slash commands: finds the one a text calls. Each command is a file of its own. */
import { pickNearest } from "../base/nearest.ts";
import type { Command, Commands } from "../contracts/command.ts";
import type { Sessions } from "../contracts/store.ts";
import { buildHelpCommand } from "./help.ts";
import { buildNewCommand } from "./new.ts";
import { buildStatusCommand, type StatusFacts } from "./status.ts";
import { buildStopCommand } from "./stop.ts";

interface CommandDeps {
  sessions: Sessions;
  status(): Promise<StatusFacts>;
}

export function createCommands({ sessions, status }: CommandDeps): Commands {
  const commands: Command[] = [];
  const list = (adapterType: string) =>
    commands.filter((command) => !command.onlyOn || command.onlyOn.includes(adapterType));
  commands.push(buildHelpCommand(list), buildNewCommand(sessions), buildStatusCommand(status), buildStopCommand());
  return {
    list,
    find(text, adapterType) {
      // Only a bare word counts, so that a path like /etc/hosts is just text.
      const call = /^\/([a-z][a-z0-9_-]*)(?:\s+([\s\S]*))?$/i.exec(text.trim());
      if (!call?.[1]) return { type: "none" };
      const name = call[1].toLowerCase();
      const known = list(adapterType);
      const command = known.find((each) => each.name === name);
      if (command) return { type: "command", command, args: call[2]?.trim() ?? "" };
      const nearest = pickNearest(
        name,
        known.map((each) => each.name),
      );
      return { type: "unknown", name, ...(nearest !== undefined && { nearest }) };
    },
  };
}
