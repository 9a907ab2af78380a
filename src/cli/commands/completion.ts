/** `mom completion`: a script for a shell, made from the commands themselves, so that it never lags behind them. */
import { Argument, Command } from "commander";
import { formatBash } from "../completion/bash.ts";
import { type CommandNode, toCommandNode } from "../completion/command-tree.ts";
import { formatFish } from "../completion/fish.ts";
import { formatZsh } from "../completion/zsh.ts";
import type { CliIo } from "../io.ts";

/** What the catalogue says of a command. */
interface Listed {
  name: string;
  summary: string;
  load(): Promise<(io: CliIo) => Command>;
}

const formats = { bash: formatBash, zsh: formatZsh, fish: formatFish };
type Shell = keyof typeof formats;

export function buildCompletionCommand(io: CliIo, catalog: readonly Listed[]): Command {
  return new Command("completion")
    .description(
      "Prints a script that completes mom's commands and options.\n" +
        '  bash: eval "$(mom completion bash)" in ~/.bashrc\n' +
        '  zsh:  eval "$(mom completion zsh)" in ~/.zshrc, after compinit\n' +
        "  fish: mom completion fish > ~/.config/fish/completions/mom.fish",
    )
    .addArgument(new Argument("<shell>", "bash, zsh or fish").choices(["bash", "zsh", "fish"] as const))
    .action(async (shell: Shell) => void io.stdout.write(formats[shell](await loadTree(io, catalog))));
}

async function loadTree(io: CliIo, catalog: readonly Listed[]): Promise<CommandNode[]> {
  return Promise.all(
    catalog.map(async ({ name, summary, load }) => toCommandNode((await load())(io).name(name), summary)),
  );
}
