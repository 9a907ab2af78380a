/** Completion for zsh, with what each word means. */
import type { CommandNode, OptionNode } from "./command-tree.ts";
import { quoteWord } from "./quote-word.ts";

export function formatZsh(commands: readonly CommandNode[]): string {
  const cases = commands.flatMap((command) => [
    ...buildCase(command.name, command),
    ...command.commands.flatMap((inner) => buildCase(`${command.name} ${inner.name}`, inner)),
  ]);
  const lines = [
    "#compdef mom",
    "# mom completion zsh",
    "compdef _mom mom",
    "_mom() {",
    '  local place="" word files="" previous="${words[CURRENT-1]}"',
    "  local -a inner options",
    "  integer i",
    "  for ((i = 2; i < CURRENT; i++)); do",
    '    word="${words[i]}"',
    '    if [[ $word != -* && " $(_mom_inner "$place") " == *" $word "* ]]; then place="${place:+$place }$word"; fi',
    "  done",
    '  case "$place" in',
    ...cases,
    "    ('')",
    `      inner=(${commands.map(describe).join(" ")})`,
    "      options=('--help:print help' '--version:print the version')",
    "      files=-/",
    "      ;;",
    "  esac",
    "  (( $#inner )) && _describe command inner",
    "  (( $#options )) && _describe -o option options",
    "  [[ $files == -/ ]] && _files -/",
    "  [[ $files == -f ]] && _files",
    "}",
    "_mom_inner() {",
    '  case "$1" in',
    `    ('') echo ${quoteWord(commands.map(({ name }) => name).join(" "))} ;;`,
    ...commands
      .filter((command) => command.commands.length > 0)
      .map(
        ({ name, commands: inner }) => `    (${name}) echo ${quoteWord(inner.map((each) => each.name).join(" "))} ;;`,
      ),
    "  esac",
    "}",
    "# Not when it is only read in.",
    'if [ "$funcstack[1]" = "_mom" ]; then _mom "$@"; fi',
  ];
  return `${lines.join("\n")}\n`;
}

const describe = ({ name, summary }: { name: string; summary: string }) => quoteWord(`${name}:${summary}`);

function buildCase(place: string, { options, commands, takes, choices }: CommandNode): string[] {
  return [
    `    (${quoteWord(place)})`,
    '      case "$previous" in',
    ...options.flatMap(buildValueCase),
    "      esac",
    ...(commands.length > 0 ? [`      inner=(${commands.map(describe).join(" ")})`] : []),
    ...(choices.length > 0 ? [`      inner=(${choices.map(quoteWord).join(" ")})`] : []),
    `      options=(${[...options, { name: "--help", summary: "print help" }].map(describe).join(" ")})`,
    ...(takes === "folder" ? ["      files=-/"] : takes === "file" ? ["      files=-f"] : []),
    "      ;;",
  ];
}

function buildValueCase({ name, takes, choices }: OptionNode): string[] {
  if (takes === "nothing") return [];
  if (choices.length > 0) return [`        (${name}) compadd -- ${choices.map(quoteWord).join(" ")}; return ;;`];
  if (takes === "word") return [`        (${name}) return ;;`];
  return [`        (${name}) _files${takes === "folder" ? " -/" : ""}; return ;;`];
}
