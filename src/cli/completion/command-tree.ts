/** What can be typed: commands, their subcommands and options, as the completion scripts need it. Read from the commands themselves. */
import type { Command } from "commander";

type Takes = "folder" | "file" | "word" | "nothing";

export interface CommandNode {
  name: string;
  summary: string;
  options: OptionNode[];
  /** What follows as bare words: a folder or file is completed by the shell. */
  takes: Takes;
  /** Of the first bare word. */
  choices: readonly string[];
  commands: CommandNode[];
}

export interface OptionNode {
  /** `--data` */
  name: string;
  summary: string;
  /** What follows it. */
  takes: Takes;
  choices: readonly string[];
}

export function toCommandNode(command: Command, summary = command.summary() || command.description()): CommandNode {
  const [argument] = command.registeredArguments;
  return {
    name: command.name(),
    summary: firstLine(summary),
    options: command.options
      .filter(({ hidden, long }) => !hidden && long)
      .map(({ long, description, flags, argChoices, required, optional }) => ({
        name: long ?? "",
        summary: firstLine(description),
        takes: required || optional ? kindOf(flags) : "nothing",
        choices: argChoices ?? [],
      })),
    takes: argument ? kindOf(argument.name()) : "nothing",
    choices: argument?.argChoices ?? [],
    commands: command.commands.map((inner) => toCommandNode(inner)),
  };
}

/** By the name of the placeholder: `<dir>`, `<data-dir>`, `<file>`. */
function kindOf(placeholder: string): Takes {
  if (/\bdir\b/.test(placeholder)) return "folder";
  return /\b(file|path)\b/.test(placeholder) ? "file" : "word";
}

const firstLine = (text: string) => (text.split("\n")[0] ?? "").trim();
