/**
 * Text that somebody must judge by looking at it: nothing of it hidden, moved, or passing for something else. Unlike
 * `toPrintable` it can be read back: two different texts never look the same.
 */
export interface VisibleText {
  text: string;
  /** How many characters are shown by their number. */
  hidden: number;
}

/**
 * What is shown as it is: ASCII, accented Latin letters, and the letters of East Asia. Every other letter has a double in ASCII
 * (Cyrillic а, Greek ο, fullwidth ａ), turns the direction, or joins its neighbours.
 */
const shown = /^[\n\t\x20-\x7eÀ-ÖØ-öø-ž\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3]$/;
/** Of those, the ones that pass for i, n, l, s, or for a sign that means something to a shell. */
const doubles: ReadonlySet<string> = new Set("ıĸŀĿŉ一丨丶丿二ノニへヘ");

/** Lines stay lines. What is not shown as it is becomes `⟨U+202E⟩`; the brackets themselves are never shown as they are. */
export function toVisible(source: string): VisibleText {
  let hidden = 0;
  let text = "";
  for (const character of source) {
    if (shown.test(character) && !doubles.has(character)) {
      text += character;
      continue;
    }
    hidden++;
    text += `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
  }
  return { text, hidden };
}

/** Longer runs would need a fence that takes the room of the text in a channel that splits. */
const longestRun = 16;

/** The same as a fenced Markdown block that the text cannot close; nothing is cut. */
export function toVisibleBlock(source: string): VisibleText {
  const seen = toVisible(source);
  const long = new RegExp(`\`{${longestRun + 1},}`, "g");
  let { hidden } = seen;
  const text = seen.text.replace(long, (run) => {
    hidden += run.length;
    return "⟨U+0060⟩".repeat(run.length);
  });
  const fence = "`".repeat(Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length)) + 1);
  return { text: `${fence}\n${text}\n${fence}`, hidden };
}
