/**
 * The command line as a whole: finds the command that is meant, loads only that one, runs it, and turns whatever comes of it
 * into an exit code. Called by main.ts with the real world, by tests with their own.
 */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { Command, CommanderError } from "commander";
import { UsageError } from "../base/errors.ts";
import { pickNearest } from "../base/nearest.ts";
import type { CommandEntry } from "./catalog.ts";
import type { CliIo } from "./io.ts";
import { reportError } from "./report-error.ts";

export interface ProgramParts {
  io: CliIo;
  version: string;
  commands: readonly CommandEntry[];
}

/** Resolves when the command has ended. Never rejects. */
export async function runProgram(args: readonly string[], parts: ProgramParts): Promise<number> {
  const { words, debug } = takeDebugFlag(args);
  const io: CliIo = debug ? Object.create(parts.io, { debug: { value: debug, enumerable: true } }) : parts.io;
  try {
    return await runWords(words, { ...parts, io });
  } catch (error) {
    return reportError(error, io);
  }
}

async function runWords(given: readonly string[], parts: ProgramParts): Promise<number> {
  const words = given[0] === "help" ? [...given.slice(1, 2), "--help"] : given;
  const entry = pickEntry(words, parts);
  const root = buildRoot(parts, entry, entry && (await entry.load())(parts.io));
  if (words.length === 0) {
    root.outputHelp({ error: true });
    return 2;
  }
  try {
    await root.parseAsync(words, { from: "user" });
    return 0;
  } catch (error) {
    return toExitCode(error, entry);
  }
}

/** The command that the first word names, or the default one; none where only mom herself is asked (`--help`). */
function pickEntry(words: readonly string[], { commands, io }: ProgramParts): CommandEntry | undefined {
  const [first] = words;
  if (first === undefined || ["-h", "--help", "-V", "--version"].includes(first)) return undefined;
  const named = commands.find((entry) => entry.name === first);
  if (named) return named;
  refuseMistypedCommand(first, commands, io.cwd);
  return commands.find((entry) => entry.isDefault);
}

/** `mom chta` is more likely a slip than a folder to be created; what exists or looks like a path is a data directory. */
function refuseMistypedCommand(word: string, commands: readonly CommandEntry[], cwd: string): void {
  if (/^[-.~]|[/\\]/.test(word) || existsSync(resolve(cwd, word))) return;
  const nearest = pickNearest(word, [...commands.map((entry) => entry.name), "help"]);
  if (nearest === undefined) return;
  throw new UsageError("UNKNOWN_COMMAND", `There is no command "${word}". Did you mean "${nearest}"?`, {
    hint: `Run \`mom ${nearest}\`, or \`mom ./${word}\` to use a folder of that name. \`mom --help\` lists the commands.`,
  });
}

function buildRoot({ io, version, commands }: ProgramParts, called?: CommandEntry, loaded?: Command): Command {
  const root = new Command("mom")
    .description("A self-hosted assistant: small, closed by default, and it never loses or doubles a message.")
    .usage("[options] <data-dir>\n       mom <command> [options]")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help, also for a command: mom chat --help")
    .option("--debug", "show the stack of an error")
    .helpCommand(false)
    .addHelpText("after", examples);
  for (const entry of commands) {
    const command = entry === called && loaded ? loaded.name(entry.name) : new Command(entry.name);
    if (!command.summary()) command.summary(entry.summary);
    const isDefault = entry.isDefault === true && entry === called;
    root.addCommand(command.helpGroup(entry.group), { isDefault });
  }
  frameCommand(root, io);
  return root;
}

const examples = `
Examples:
  mom ./data                            start; a missing folder is created with a config to edit
  mom chat                              talk to mom in this terminal
  mom agent --message "what's up?"      one turn, the reply on stdout
  mom doctor                            what is wrong, and the fix

Commands take --data <dir> (default: $MOM_DATA, else ./data) and exit with 0 (done), 1 (failed) or 2 (bad use or config).`;

/** Commander would end the process and print in its own way; ours ends by values and prints through `io`. */
function frameCommand(command: Command, io: CliIo): void {
  command.exitOverride().configureOutput({
    writeOut: (text) => void io.stdout.write(text),
    writeErr: (text) => void io.stderr.write(text),
    outputError: () => undefined,
    getOutHelpWidth: () => io.stdout.columns ?? 100,
    getErrHelpWidth: () => io.stderr.columns ?? 100,
    getOutHasColors: () => false,
    getErrHasColors: () => false,
  });
  for (const inner of command.commands) frameCommand(inner, io);
}

/** Help that was asked for is a success; help instead of a missing subcommand is bad use; the rest is reported by the caller. */
function toExitCode(error: unknown, entry: CommandEntry | undefined): number {
  if (!(error instanceof CommanderError)) throw error;
  if (error.exitCode === 0) return 0;
  if (error.code === "commander.help") return 2;
  const message = error.message.replace(/^error: /, "").replaceAll("\n", " ");
  throw new UsageError("BAD_USAGE", message, {
    hint: `See \`mom ${entry ? `${entry.name} ` : ""}--help\`.`,
    cause: error,
  });
}

/** `--debug` may stand anywhere before `--`, and belongs to the frame, so that no command needs to know it. */
function takeDebugFlag(args: readonly string[]): { words: string[]; debug?: true } {
  const end = args.indexOf("--");
  const isFlag = (word: string, at: number) => word === "--debug" && (end === -1 || at < end);
  const words = args.filter((word, at) => !isFlag(word, at));
  return words.length < args.length ? { words, debug: true } : { words };
}
