/** Completion for bash: one function that looks at the words before the cursor. */
import type { CommandNode, OptionNode } from "./command-tree.ts";
import { quoteWord } from "./quote-word.ts";

export function formatBash(commands: readonly CommandNode[]): string {
  const cases = commands.flatMap((command) => [
    ...buildCase(command.name, command),
    ...command.commands.flatMap((inner) => buildCase(`${command.name} ${inner.name}`, inner)),
  ]);
  const lines = [
    "# mom completion bash",
    "_mom() {",
    '  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" place="" words="" files="" word i',
    "  for ((i = 1; i < COMP_CWORD; i++)); do",
    '    word="${COMP_WORDS[i]}"',
    '    if [[ $word != -* && " $(_mom_inner "$place") " == *" $word "* ]]; then place="${place:+$place }$word"; fi',
    "  done",
    '  case "$place" in',
    ...cases,
    '    "")',
    "      files=-d",
    `      words=${quoteWord([...commands.map(({ name }) => name), "--help", "--version"].join(" "))}`,
    "      ;;",
    "  esac",
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    "  if [[ -z $files || $current == -* ]]; then return; fi",
    "  compopt -o filenames 2>/dev/null",
    "  local IFS=$'\\n'",
    '  COMPREPLY+=($(compgen "$files" -- "$current"))',
    "}",
    "# What may follow a command as the next word of its name.",
    "_mom_inner() {",
    '  case "$1" in',
    `    "") echo ${quoteWord(commands.map(({ name }) => name).join(" "))} ;;`,
    ...commands
      .filter((command) => command.commands.length > 0)
      .map(
        ({ name, commands: inner }) => `    ${name}) echo ${quoteWord(inner.map((each) => each.name).join(" "))} ;;`,
      ),
    "  esac",
    "}",
    "complete -F _mom mom",
  ];
  return `${lines.join("\n")}\n`;
}

function buildCase(place: string, { options, commands, takes, choices }: CommandNode): string[] {
  const words = [...commands.map(({ name }) => name), ...choices, ...options.map(({ name }) => name), "--help"];
  return [
    `    ${quoteWord(place)})`,
    '      case "$previous" in',
    ...options.flatMap(buildValueCase),
    "      esac",
    `      words=${quoteWord(words.join(" "))}`,
    ...(takes === "folder" ? ["      files=-d"] : takes === "file" ? ["      files=-f"] : []),
    "      ;;",
  ];
}

/** The value of an option: instead of anything else. */
function buildValueCase({ name, takes, choices }: OptionNode): string[] {
  if (takes === "nothing") return [];
  if (choices.length > 0)
    return [`        ${name}) COMPREPLY=($(compgen -W ${quoteWord(choices.join(" "))} -- "$current")); return ;;`];
  const flag = takes === "folder" ? "-d" : "-f";
  if (takes === "word") return [`        ${name}) return ;;`];
  // A name may have spaces in it.
  return [
    `        ${name})`,
    "          compopt -o filenames 2>/dev/null",
    "          local IFS=$'\\n'",
    `          COMPREPLY=($(compgen ${flag} -- "$current"))`,
    "          return",
    "          ;;",
  ];
}
