/**
 * Makes foreign text harmless to show: what models, tools and people write may carry escape sequences that move the cursor,
 * set the clipboard or hide words. Everything that reaches a screen passes here first; what is stored keeps its characters.
 */

/** OSC, DCS, SOS, PM and APC with their payload and end; CSI; then any other escape. */
const sequences =
  /(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[ -/]*[0-~]?/g;
/** C0 without tab and newline, DEL and C1; characters that reorder the text around them; what is no character at all. */
const controls = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufdd0-\ufdef\ufffe\uffff]/g;
/** The start of a sequence, or of a line end, that the next piece may finish. */
const unfinished = /(?:\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b\x9c]{0,4096}\x1b?|[ -/]*)?|\x9b[0-?]*[ -/]*|\r)$/;

/** Only printable text, tabs and newlines are left. Line ends become `\n`. */
export function neutralise(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(sequences, "").replace(controls, "");
}

/** The same for one line of output: newlines and tabs become single spaces. */
export function neutraliseLine(text: string): string {
  return neutralise(text).replace(/\s+/g, " ").trim();
}

/** The same for text that comes in pieces, where a sequence may be cut in two. */
export interface Neutraliser {
  /** What can be shown so far of the new piece. */
  push(piece: string): string;
  /** What was held back; nothing comes after it. */
  end(): string;
}

export function createNeutraliser(): Neutraliser {
  let held = "";
  return {
    push(piece) {
      const text = held + piece;
      const cut = text.search(unfinished);
      held = cut < 0 ? "" : text.slice(cut);
      return neutralise(cut < 0 ? text : text.slice(0, cut));
    },
    end() {
      const rest = neutralise(held);
      held = "";
      return rest;
    },
  };
}
