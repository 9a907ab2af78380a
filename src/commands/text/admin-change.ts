/** Commands that everybody may ask and only an admin may change: what they set counts for all who speak in the session. */
import type { CommandCall } from "../../contracts/command.ts";

/** The sentence for somebody who may not. Undefined: go on. */
export function refuseChange(
  { isAdmin, args }: Pick<CommandCall, "isAdmin" | "args">,
  what: string,
): string | undefined {
  return isAdmin || args === "" ? undefined : `Only admins may change ${what} here.`;
}
