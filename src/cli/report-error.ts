/** How a command's failure is shown: what happened, the fix, the code; and the exit code that goes with it. */
import { inspect } from "node:util";
import { ConfigError, errorText, MomError, systemCode, UsageError } from "../base/errors.ts";
import { toPrintable } from "../base/printable.ts";
import type { CliIo } from "./io.ts";

/** Writes to stderr; never throws. Gives the exit code: 2 for bad use and bad config, 1 otherwise. */
export function reportError(error: unknown, io: Pick<CliIo, "stderr" | "debug">): number {
  const isOurs = error instanceof MomError;
  const hint = isOurs
    ? error.hint
    : "This should not happen. Run it again with --debug and report what it prints (it may contain private texts).";
  const code = isOurs ? error.code : systemCode(error);
  const lines = [
    `mom: ${indent(isOurs ? error.message : `unexpected failure: ${errorText(error)}`)}`,
    ...(hint ? [`  fix: ${indent(hint)}`] : []),
    ...(code ? [`  code: ${toPrintable(code)}`] : []),
    ...(io.debug ? inspect(error).split("\n").map(toPrintable) : []),
  ];
  io.stderr.write(`${lines.join("\n")}\n`);
  return error instanceof ConfigError || error instanceof UsageError ? 2 : 1;
}

/** A message may list several problems, one a line; no line of it can pass for one of ours. */
function indent(text: string): string {
  return text.trimEnd().split("\n").map(toPrintable).join("\n    ");
}
