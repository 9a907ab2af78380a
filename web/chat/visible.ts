/**
 * Text that somebody must judge by looking at it, in pieces: what is invisible, turns the direction or passes for something
 * else is shown by its number. The same rule as for questions in other chats (`src/base/visible-text.ts`). Pure.
 */
export interface Piece {
  text: string;
  /** Shown by its number. */
  isNumber: boolean;
}

const shown = /^[\n\t\x20-\x7eÀ-ÖØ-öø-ž\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3]$/;
const doubles: ReadonlySet<string> = new Set("ıĸŀĿŉ一丨丶丿二ノニへヘ");

export function toPieces(source: string): Piece[] {
  const pieces: Piece[] = [];
  for (const character of source) {
    const isNumber = !shown.test(character) || doubles.has(character);
    const text = isNumber
      ? `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`
      : character;
    const last = pieces.at(-1);
    if (last?.isNumber === isNumber) last.text += text;
    else pieces.push({ text, isNumber });
  }
  return pieces;
}
