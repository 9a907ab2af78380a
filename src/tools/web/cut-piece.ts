/** The piece of a long text that one call shows: from a character on, within the limits of a result, at whole lines. */
import { maxResultBytes } from "../kit/limits.ts";
import { truncateHead } from "../kit/truncate.ts";

export interface Piece {
  text: string;
  /** Where the next piece begins; undefined at the end. */
  next: number | undefined;
}

export function cutPiece(text: string, offset: number, maxChars = Number.POSITIVE_INFINITY): Piece {
  const start = isInsidePair(text, offset) ? offset + 1 : offset;
  // No more characters than bytes can fit, so a long text is not split into lines for nothing.
  let end = Math.min(text.length, start + Math.min(maxChars, maxResultBytes + 1));
  if (isInsidePair(text, end)) end--;
  const piece = truncateHead(text.slice(start, end)).text;
  const next = start + piece.length;
  return { text: piece, next: text.slice(next).trim() === "" ? undefined : skipNewline(text, next) };
}

const skipNewline = (text: string, at: number) => (text[at] === "\n" ? at + 1 : at);

/** In the middle of a character that takes two units. */
function isInsidePair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  return before >= 0xd800 && before <= 0xdbff && at < text.length;
}
