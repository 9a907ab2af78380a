/**
 * The allow-list: do rules that an admin gave for good cover a command, and which ones would cover this one? A convenience:
 * what programs can do at all is decided by the sandbox.
 */
import { basename } from "node:path";
import type { AllowRule, ArgumentShape } from "../../contracts/approval.ts";
import type { FindProgram } from "./find-program.ts";
import { buildShapes, isHarmlessReader, isPlainPath } from "./harmless-programs.ts";
import type { SimpleCommand } from "./parse-command.ts";

/** A simple command with the file that its name means. */
export interface ResolvedCommand {
  program: string;
  args: string[];
  isPiped: boolean;
}

export type ResolvedCommands =
  | { type: "resolved"; commands: ResolvedCommand[] }
  /** `name`: the program that is not certain. */
  | { type: "unresolved"; name: string };

export async function resolveCommands(
  commands: readonly SimpleCommand[],
  findProgram: FindProgram,
): Promise<ResolvedCommands> {
  const resolved: ResolvedCommand[] = [];
  for (const { argv, isPiped } of commands) {
    const [name = "", ...args] = argv;
    const program = await findProgram(name);
    if (program === undefined) return { type: "unresolved", name };
    resolved.push({ program, args, isPiped });
  }
  return { type: "resolved", commands: resolved };
}

/** Every command must have its rule: a chain is as free as its least free part. */
export function matchRules(commands: readonly ResolvedCommand[], rules: readonly AllowRule[]): boolean {
  return (
    commands.length > 0 &&
    commands.every((command) => mayRead(command) && rules.some((rule) => isCovered(command, rule)))
  );
}

/** What `always` would store; empty where a command must be asked for every time. */
export function buildRules(commands: readonly ResolvedCommand[]): AllowRule[] {
  if (!commands.every(mayRead)) return [];
  const rules = commands.map(({ program, args }) => ({ program, args: buildShapes(basename(program), args) }));
  const texts = rules.map((rule) => JSON.stringify(rule));
  return rules.filter((_, at) => texts.indexOf(texts[at] ?? "") === at);
}

/** A rule says nothing of input: `sh` alone is another command when something is piped into it. */
const mayRead = ({ program, isPiped }: ResolvedCommand) => !isPiped || isHarmlessReader(basename(program));

function isCovered({ program, args }: ResolvedCommand, rule: AllowRule): boolean {
  if (program !== rule.program || args.length !== rule.args.length) return false;
  return args.every((word, at) => fits(word, rule.args[at]));
}

function fits(word: string, shape: ArgumentShape | undefined): boolean {
  if (shape === undefined) return false;
  return shape.type === "exact" ? word === shape.text : isPlainPath(word);
}
