/**
 * Ripgrep runs on the host where a container cannot have it, so its command line must not be able to start programs there or
 * to read more than the folders it is given. Tools build these arguments themselves; this is the wall behind them.
 */
import { ToolError } from "../base/errors.ts";

/** Options by their long names; all start a program or read a file of their own. */
const refused = /^--(pre|pre-glob|hostname-bin|search-zip|file|ignore-file|follow)(=|$)/;

export function buildSearchArguments(args: readonly string[]): string[] {
  const end = args.indexOf("--");
  const options = end === -1 ? args : args.slice(0, end);
  // Short options can hide in a row of others, so none are taken.
  const odd = options.find((option) => refused.test(option) || /^-[^-]/.test(option));
  if (odd === undefined) return ["--no-config", ...args];
  throw new ToolError("EXEC_INVALID", `ripgrep is not started with ${JSON.stringify(odd)}`, {
    hint: "Use long options that neither start programs nor read further files.",
  });
}
