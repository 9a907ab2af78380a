/** What may follow a command's name, and the refusal when it is something else: thrown here, made a reply by `answer`. */
import { UsageError } from "../../base/errors.ts";
import { pickNearest } from "../../base/nearest.ts";
import type { Command } from "../../contracts/command.ts";
import { toCode } from "./foreign-text.ts";

type Named = Pick<Command, "name" | "usage">;

/** `/think [off|low]`, as a code span. */
export const formatUsage = ({ name, usage }: Named): string => `\`/${name}${usage ? ` ${usage}` : ""}\``;

/** `message`: what is wrong, without the full stop. */
export function badArguments(command: Named, message: string): UsageError {
  return new UsageError("COMMAND_ARGUMENTS", message, { hint: `Usage: ${formatUsage(command)}.` });
}

/** The choice that was typed, in any case; throws for anything else, with the nearest one. */
export function pickChoice<Choice extends string>(command: Named, typed: string, choices: readonly Choice[]): Choice {
  const wanted = typed.toLowerCase();
  const found = choices.find((choice) => choice === wanted);
  if (found !== undefined) return found;
  const nearest = pickNearest(wanted, choices);
  const guess = nearest === undefined ? "" : ` (did you mean \`${nearest}\`?)`;
  throw badArguments(command, `${toCode(typed, 40)} is none of ${choices.join(", ")}${guess}`);
}

/** For commands that take nothing. */
export function ensureNoArguments(command: Named, args: string): void {
  if (args !== "") throw badArguments(command, `\`/${command.name}\` takes nothing behind it`);
}

/** A number as typed; undefined for anything else. */
export const parseNumber = (typed: string): number | undefined => (/^\d{1,6}$/.test(typed) ? Number(typed) : undefined);

/** The first word and what follows it. */
export function splitFirst(args: string): [first: string, rest: string] {
  const match = /^(\S+)\s*([\s\S]*)$/.exec(args.trim());
  return [match?.[1] ?? "", match?.[2]?.trim() ?? ""];
}
