/** `/help`: what can be said to mom with a slash. */
import type { Command } from "../contracts/command.ts";

export function buildHelpCommand(list: (adapterType: string) => Command[]): Command {
  return {
    name: "help",
    summary: "this list",
    immediate: true,
    async run({ adapterType }) {
      const lines = list(adapterType).map(({ name, summary }) => `- \`/${name}\` ${summary}`);
      if (adapterType === "cli") lines.push("- `/quit` leaves (also Ctrl-D)");
      return ["Just write what you want. Commands:", "", ...lines].join("\n");
    },
  };
}
