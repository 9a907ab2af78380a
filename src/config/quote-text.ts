/** Text from the file or its keys, quoted for a message: one line, and nothing in it can move a terminal's cursor. */
import { toPrintable } from "../base/printable.ts";

export function quoteText(text: PropertyKey): string {
  return toPrintable(JSON.stringify(String(text)));
}
