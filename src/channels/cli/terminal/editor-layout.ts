/** The editor's text as rows of a terminal, with the cursor's place among them. Looks only at what is near the cursor. */
import stringWidth from "string-width";
import { boundaryAtOrBefore, graphemesOf } from "../../kit/graphemes.ts";

export interface EditorRows {
  rows: string[];
  cursorRow: number;
  cursorColumn: number;
}

/** Characters laid out before and after the cursor: more than any screen shows. */
const reach = 8_000;

/** At most `maxRows` rows of at most `room` columns, those around the cursor. */
export function layOutEditor(text: string, cursor: number, room: number, maxRows: number): EditorRows {
  const from = boundaryAtOrBefore(text, Math.max(0, cursor - reach));
  const near = text.slice(from, boundaryAtOrBefore(text, cursor + reach));
  const rows = [""];
  let width = 0;
  let index = from;
  let place = { row: 0, column: 0 };
  for (const grapheme of graphemesOf(near)) {
    const shown = toVisible(grapheme);
    const columns = stringWidth(shown);
    const isNewline = grapheme.includes("\n");
    if (!isNewline && width > 0 && width + columns > room) {
      rows.push("");
      width = 0;
    }
    if (index === cursor) place = { row: rows.length - 1, column: width };
    index += grapheme.length;
    if (isNewline) {
      rows.push("");
      width = 0;
    } else {
      rows[rows.length - 1] += shown;
      width += columns;
    }
  }
  if (index === cursor) place = { row: rows.length - 1, column: width };
  const first = Math.max(0, place.row - maxRows + 1);
  return { rows: rows.slice(first, first + maxRows), cursorRow: place.row - first, cursorColumn: place.column };
}

/** Control characters as their pictures, so that one sees what one is about to send. */
function toVisible(grapheme: string): string {
  return grapheme
    .replaceAll("\t", "    ")
    .replace(/[\x00-\x1f]/g, (control) => String.fromCharCode(0x2400 + control.charCodeAt(0)))
    .replace(/[\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
}
