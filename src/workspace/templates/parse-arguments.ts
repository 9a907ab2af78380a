/** Splits what follows `/name` into arguments, with the quoting of a shell. Any text has arguments: nothing is an error. */

/**
 * Blanks part arguments. `'…'` keeps everything as it is; in `"…"` a backslash escapes `"` and `\`; elsewhere it escapes
 * whatever follows. A quote that is never closed makes one argument of all the rest; inside a word it is an apostrophe
 * then, and stays.
 */
export function parseArguments(text: string): string[] {
  const found: string[] = [];
  let word: string | undefined;
  let at = 0;
  while (at < text.length) {
    const character = text[at] ?? "";
    if (character === '"' || character === "'") {
      const quoted = readQuoted(text, at);
      if (quoted === undefined) {
        const rest = text.slice(at + 1).trimEnd();
        found.push(word === undefined ? rest : word + character + rest);
        return found;
      }
      word = (word ?? "") + quoted.text;
      at = quoted.end;
    } else if (/\s/.test(character)) {
      if (word !== undefined) found.push(word);
      word = undefined;
      at++;
    } else if (character === "\\" && at + 1 < text.length) {
      word = (word ?? "") + text[at + 1];
      at += 2;
    } else {
      word = (word ?? "") + character;
      at++;
    }
  }
  if (word !== undefined) found.push(word);
  return found;
}

/** What is between the quote at `start` and the one that closes it; `end` is behind that. Undefined: nothing closes it. */
function readQuoted(text: string, start: number): { text: string; end: number } | undefined {
  const quote = text[start];
  let inside = "";
  for (let at = start + 1; at < text.length; at++) {
    const character = text[at] ?? "";
    if (character === quote) return { text: inside, end: at + 1 };
    const next = text[at + 1];
    if (quote === '"' && character === "\\" && (next === '"' || next === "\\")) {
      inside += next;
      at++;
    } else {
      inside += character;
    }
  }
  return undefined;
}
