/** `/changelog`: what is new in this version. */
import type { Command } from "../contracts/command.ts";
import type { CommandDeps } from "./command-deps.ts";
import { ensureNoArguments } from "./text/arguments.ts";

const maxChars = 3500;

export function buildChangelogCommand({ readChangelog }: Pick<CommandDeps, "readChangelog">): Command {
  const command: Command = {
    name: "changelog",
    summary: "what is new in this version",
    immediate: true,
    async run({ args }) {
      ensureNoArguments(command, args);
      const latest = pickLatest(await readChangelog());
      return latest === "" ? "There is no changelog in this installation." : cutAtLine(latest);
    },
  };
  return command;
}

/** The first section of the second level: Keep a Changelog has the newest version first. */
function pickLatest(changelog: string): string {
  const sections = changelog.split(/^(?=## )/m);
  return sections.find((section) => section.startsWith("## "))?.trim() ?? "";
}

function cutAtLine(text: string): string {
  if (text.length <= maxChars) return text;
  return `${text.slice(0, text.lastIndexOf("\n", maxChars))}\n\n… CHANGELOG.md has the rest.`;
}
