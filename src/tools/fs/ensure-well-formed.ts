/** Text that cannot be written as it is must not be written as something else. */
import { ToolError } from "../../base/errors.ts";

/** Throws `TEXT_MALFORMED` for half a character (a lone surrogate), which a file would get as a question mark. */
export function ensureWellFormed(...texts: string[]): void {
  if (texts.every((text) => text.isWellFormed())) return;
  throw new ToolError("TEXT_MALFORMED", "The text has half a character in it (a lone surrogate)", {
    hint: "Send the whole character.",
  });
}
