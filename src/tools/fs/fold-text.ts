/** What tolerance sets aside when text is compared: curly quotes, long dashes, odd spaces, and space at the end of a line. */

/** Most text has none of these, and one look is cheaper than four. */
const mayFold = /[\u00a0\u2002-\u205f\u2212\u3000]/;

/** Every replacement is as long as what it replaces, so that places in the text stay where they are. */
export function foldCharacters(text: string): string {
  if (!mayFold.test(text)) return text;
  return text
    .replace(/[\u2018\u2019\u201a\u201b\u2032]/g, "'")
    .replace(/[\u201c\u201d\u201e\u201f\u2033]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .replace(/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g, " ");
}

const blanks = new Set([" ", "\t", "\r", "\u00a0", "\u202f", "\u205f", "\u3000"]);
const isBlank = (character: string | undefined) =>
  character !== undefined && (blanks.has(character) || (character >= "\u2002" && character <= "\u200a"));

/** Where the blanks before `end` begin; never before `from`. Walks back, because a pattern could be made slow by hostile text. */
export function skipBlanksBack(text: string, from: number, end: number): number {
  let at = end;
  while (at > from && isBlank(text[at - 1])) at--;
  return at;
}

/** One line as tolerance sees it. */
export const foldLine = (line: string): string => foldCharacters(line.slice(0, skipBlanksBack(line, 0, line.length)));
