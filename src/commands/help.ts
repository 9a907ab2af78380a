/** `/help`: what can be said to mom with a slash, one line each; `/help name`: how one of them is used. */
import { pickNearest } from "../base/nearest.ts";
import type { Command } from "../contracts/command.ts";
import { badArguments, formatUsage } from "./text/arguments.ts";
import { toCode } from "./text/foreign-text.ts";

export function buildHelpCommand(list: (adapterType: string) => Command[]): Command {
  const command: Command = {
    name: "help",
    usage: "[name]",
    summary: "this list, or how one command is used",
    immediate: true,
    async run({ adapterType, args, isAdmin }) {
      const known = list(adapterType);
      if (args !== "") return describe(pick(command, known, args));
      const lines = known
        .filter(({ adminOnly }) => isAdmin || !adminOnly)
        .map(({ name, summary }) => `- \`/${name}\` ${summary}`);
      if (adapterType === "cli")
        lines.push("- `/copy` the last reply into the clipboard", "- `/quit` leaves (also Ctrl-D)");
      return [
        "Just write what you want. Commands:",
        "",
        ...lines,
        "",
        "`/help name` shows how one is used, `/commands` all of them with prompts and skills.",
      ].join("\n");
    },
  };
  return command;
}

function pick(help: Command, known: readonly Command[], typed: string): Command {
  const name = typed.replace(/^\//, "").toLowerCase();
  const found = known.find((each) => each.name === name || each.aliases?.includes(name));
  if (found) return found;
  const nearest = pickNearest(
    name,
    known.map((each) => each.name),
  );
  const guess = nearest === undefined ? "" : ` (did you mean \`${nearest}\`?)`;
  throw badArguments(help, `There is no command ${toCode(typed, 40)}${guess}`);
}

function describe(command: Command): string {
  const { summary, aliases, adminOnly, immediate } = command;
  return [
    `${formatUsage(command)}: ${summary}.`,
    ...(aliases ? [`- also: ${aliases.map((alias) => `\`/${alias}\``).join(", ")}`] : []),
    ...(adminOnly ? ["- for admins only"] : []),
    `- ${immediate ? "answered at once, also while I work" : "waits until what I am doing is done"}`,
  ].join("\n");
}
