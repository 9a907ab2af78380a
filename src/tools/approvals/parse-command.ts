/**
 * A command line as the programs it will start and the words each will get; or why that cannot be said beforehand. Rules of
 * the allow-list are held against this, never against text. Loaded when a rule is first asked for.
 */
import { type AndOr, type CommandNode, type Command as CommandTree, type PipelineNode, parse } from "unbash";
import { readWord, type Shell } from "./read-word.ts";

export interface SimpleCommand {
  /** The program as it was named, then its arguments. */
  argv: string[];
  /** Another program's output is its input. */
  isPiped: boolean;
}

export type ParsedCommand = { type: "simple"; commands: SimpleCommand[] } | { type: "complex"; why: string };

/** All of bash's and dash's but those that do just what the program of their name does: echo, printf, true, false, pwd, test. */
const builtins: ReadonlySet<string> = new Set(
  `. : [ alias bg bind break builtin caller cd chdir command compgen complete compopt continue declare dirs disown enable eval
   exec exit export fc fg getopts hash help history jobs kill let local logout mapfile popd pushd read readarray readonly
   return set shift shopt source suspend times trap type typeset ulimit umask unalias unset wait`.split(/\s+/),
);

/** Longer ones are for people to read, not for rules to match. */
const maxLength = 20_000;

export function parseCommand(source: string, shell: Shell): ParsedCommand {
  if (source.length > maxLength) return complex("it is very long");
  if (!source.isWellFormed() || /[^\P{Cc}\n\t]/u.test(source)) return complex("it has control characters");
  const { commands, errors } = parse(source);
  if (errors && errors.length > 0) return complex(`it cannot be parsed (${errors[0]?.message ?? "unknown error"})`);
  const reading: Reading = { shell, commands: [], spans: [] };
  for (const { command, background } of commands) {
    const why = background ? "it leaves a program running in the background" : collect(command, reading);
    if (why !== undefined) return complex(why);
  }
  if (!hasOnlyJoints(source, reading.spans)) return complex("it has something besides programs and their words");
  return reading.commands.length > 0 ? { type: "simple", commands: reading.commands } : complex("it runs nothing");
}

/** What has been read so far. */
interface Reading {
  shell: Shell;
  commands: SimpleCommand[];
  /** Where in the source the words stand, in order. */
  spans: { pos: number; end: number }[];
}

const joints = /^(?:[ \t\n;|]|\\\n|&&|#[^\n]*(?=\n|$))*$/;

/** The parser forgives; between the words it read there must be nothing but space, joints and comments. */
function hasOnlyJoints(source: string, spans: Reading["spans"]): boolean {
  const starts = [...spans.map(({ pos }) => pos), source.length];
  return starts.every((start, at) => joints.test(source.slice(spans[at - 1]?.end ?? 0, start)));
}

/** Adds the programs of one statement; returns why it cannot. */
function collect(node: PipelineNode | AndOr, reading: Reading): string | undefined {
  if (node.type === "AndOr") return firstReason(node.commands, (each) => collect(each, reading));
  if (node.type !== "Pipeline") return collectCommand(node, reading, false);
  if (node.prefixes.length > 0) return "it has `!` or `time` in front";
  if (node.operators.includes("|&")) return "it has a redirection";
  return firstReason(node.commands, (each, at) => collectCommand(each, reading, at > 0));
}

function collectCommand(node: CommandNode, reading: Reading, isPiped: boolean): string | undefined {
  if (node.type === "Redirected") return "it has a redirection";
  if (node.type === "Function") return "it defines a function";
  if (node.type !== "Command") return "it has control flow or a group of commands";
  const argv = readArgv(node, reading);
  if (typeof argv === "string") return argv;
  const [program = ""] = argv;
  if (builtins.has(program)) return `\`${program}\` is a command of the shell itself`;
  // With -v it sets a variable, PATH for one.
  const setsVariable = program === "printf" && argv.slice(1).some((word) => word.startsWith("-v"));
  if (setsVariable) return "it sets a variable";
  reading.commands.push({ argv, isPiped });
  return undefined;
}

function readArgv({ name, prefix, suffix }: CommandTree, { shell, spans }: Reading): string[] | string {
  const argv: string[] = [];
  for (const item of [...prefix, ...(name ? [name] : []), ...suffix]) {
    if (item.type === "Assignment") return "it sets a variable";
    if (item.type !== "Word") return "it has a redirection";
    const read = readWord(item, shell);
    if (read.type === "unread") return `it has ${read.why}`;
    argv.push(read.text);
    spans.push(item);
  }
  return argv.length > 0 && argv[0] !== "" ? argv : "it names no program";
}

function firstReason<Node>(nodes: readonly Node[], look: (node: Node, at: number) => string | undefined) {
  for (const [at, node] of nodes.entries()) {
    const why = look(node, at);
    if (why !== undefined) return why;
  }
  return undefined;
}

const complex = (why: string): ParsedCommand => ({ type: "complex", why });
