/** Completion for fish: one line for each word, with the place where it may stand. */
import type { CommandNode, OptionNode } from "./command-tree.ts";
import { quoteWord } from "./quote-word.ts";

export function formatFish(commands: readonly CommandNode[]): string {
  const lines = [
    "# mom completion fish",
    "function __mom_inner",
    '  switch "$argv[1]"',
    "    case ''",
    ...commands.map(({ name }) => `      echo ${quoteWord(name)}`),
    ...commands.flatMap(({ name, commands: inner }) =>
      inner.length === 0
        ? []
        : [`    case ${quoteWord(name)}`, ...inner.map((each) => `      echo ${quoteWord(each.name)}`)],
    ),
    "  end",
    "end",
    "function __mom_at",
    "  set -l place ''",
    "  for word in (commandline -opc)[2..-1]",
    "    string match -q -- '-*' $word; and continue",
    '    contains -- $word (__mom_inner "$place"); and set place (string trim "$place $word")',
    "  end",
    '  test "$place" = "$argv[1]"',
    "end",
    "complete -c mom -f",
    ...commands.map(({ name, summary }) => `${at("")} -a ${quoteWord(name)} -d ${quoteWord(summary)}`),
    `${at("")} -a '(__fish_complete_directories)'`,
    `${at("")} -l version -d 'print the version'`,
    "complete -c mom -l help -d 'print help'",
    ...commands.flatMap((command) => [
      ...buildLines(command.name, command),
      ...command.commands.flatMap((inner) => buildLines(`${command.name} ${inner.name}`, inner)),
    ]),
  ];
  return `${lines.join("\n")}\n`;
}

const at = (place: string) => `complete -c mom -n '__mom_at "${place}"'`;

function buildLines(place: string, { options, commands, takes, choices }: CommandNode): string[] {
  return [
    ...(choices.length > 0 ? [`${at(place)} -a ${quoteWord(choices.join(" "))}`] : []),
    ...commands.map(({ name, summary }) => `${at(place)} -a ${quoteWord(name)} -d ${quoteWord(summary)}`),
    ...options.map(
      (option) => `${at(place)} -l ${option.name.slice(2)}${formatValue(option)} -d ${quoteWord(option.summary)}`,
    ),
    ...(takes === "folder" ? [`${at(place)} -a '(__fish_complete_directories)'`] : []),
    ...(takes === "file" ? [`${at(place)} -F`] : []),
  ];
}

function formatValue({ takes, choices }: OptionNode): string {
  if (choices.length > 0) return ` -x -a ${quoteWord(choices.join(" "))}`;
  if (takes === "folder") return " -x -a '(__fish_complete_directories)'";
  if (takes === "file") return " -r -F";
  return takes === "word" ? " -x" : "";
}
