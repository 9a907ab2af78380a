/** Words to search by, and ranking by shared words: which remembered or logged lines speak about a topic. */

const stopWords = new Set(
  "a an and are about any anything at be been but by can did do does for from had has have how i if in is it its me my of on or our please said say so tell that the their them then there they this to us was we were what when where which who will with you your".split(
    " ",
  ),
);

/** The words that carry meaning, lower case, in a simple singular. All of them when none does. */
export function contentWords(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const meant = words.filter((word) => !stopWords.has(word));
  return [...new Set((meant.length > 0 ? meant : words).map(singular))];
}

/** The lines that share most words with the topic, in their order; none when no word is shared. */
export function pickRelated<T>(items: readonly T[], topic: string, textOf: (item: T) => string): T[] {
  const wanted = contentWords(topic);
  const scored = items.map((item) => {
    const words = new Set(contentWords(textOf(item)));
    return { item, score: wanted.filter((word) => words.has(word)).length };
  });
  const best = Math.max(0, ...scored.map(({ score }) => score));
  return best === 0 ? [] : scored.filter(({ score }) => score === best).map(({ item }) => item);
}

function singular(word: string): string {
  return word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}

/** For tools that take a regular expression. */
export function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
