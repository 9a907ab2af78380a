/** A text as lines that each know how they end, so that what is put together again is the same byte for byte. */
export interface TextLine {
  text: string;
  /** `\n`, `\r\n`, `\r`, or nothing: the last line of a file without a final newline. */
  end: string;
}

/**
 * A lone carriage return ends a line only in files that know nothing else (old Macs); elsewhere it is a character like any
 * other: progress bars are full of them.
 */
export const usesLoneReturns = (text: string): boolean => !text.includes("\n") && text.includes("\r");

export function splitLines(text: string): TextLine[] {
  const mark = usesLoneReturns(text) ? "\r" : "\n";
  const lines: TextLine[] = [];
  let from = 0;
  for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, from)) {
    const isWindows = mark === "\n" && at > from && text[at - 1] === "\r";
    lines.push({ text: text.slice(from, isWindows ? at - 1 : at), end: isWindows ? "\r\n" : mark });
    from = at + 1;
  }
  if (from < text.length) lines.push({ text: text.slice(from), end: "" });
  return lines;
}

/** The line end that a text mostly uses; for new lines in it. */
export function pickLineEnd(text: string): string {
  if (usesLoneReturns(text)) return "\r";
  let windows = 0;
  let all = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
    all++;
    if (text[at - 1] === "\r") windows++;
  }
  return windows * 2 > all ? "\r\n" : "\n";
}

/** 1-based number of the line that a place in the text is on. */
export function lineNumberAt(text: string, index: number): number {
  const mark = usesLoneReturns(text) ? "\r" : "\n";
  let line = 1;
  for (let at = text.indexOf(mark); at !== -1 && at < index; at = text.indexOf(mark, at + 1)) line++;
  return line;
}
