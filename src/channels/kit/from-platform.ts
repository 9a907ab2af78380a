/** The way in: a platform's own mentions become names, except in code. */

/** From where to where; ascending. */
type Stretch = [from: number, to: number];

/**
 * Like `text.replace(pattern, replacer)` with a global pattern, but what begins in a code span or a fence stays as it is.
 * `replacer` gets the match and its groups.
 */
export function replaceOutsideCode(
  text: string,
  pattern: RegExp,
  replacer: (match: string, ...groups: (string | undefined)[]) => string,
): string {
  const code = findCode(text);
  let next = 0;
  return text.replace(pattern, (match: string, ...rest: unknown[]) => {
    const offsetAt = rest.findIndex((value) => typeof value === "number");
    const offset = rest[offsetAt] as number;
    while ((code[next]?.[1] ?? Infinity) <= offset) next++;
    if ((code[next]?.[0] ?? Infinity) <= offset) return match;
    return replacer(match, ...(rest.slice(0, offsetAt) as (string | undefined)[]));
  });
}

/** A run of backticks up to the next run as long; three and more may go over lines. A run without a partner is text. */
function findCode(text: string): Stretch[] {
  const runs = [...text.matchAll(/`+|\n/g)];
  const found: Stretch[] = [];
  const lonely = new Set<string>();
  for (let at = 0; at < runs.length; at++) {
    const run = runs[at]?.[0] ?? "";
    if (run === "\n" || lonely.has(run)) continue;
    const isSpan = run.length < 3;
    const ends = (index: number) => runs[index]?.[0] === run || (isSpan && runs[index]?.[0] === "\n");
    let end = at + 1;
    while (end < runs.length && !ends(end)) end++;
    if (runs[end]?.[0] === run) {
      found.push([runs[at]?.index ?? 0, (runs[end]?.index ?? 0) + run.length]);
      at = end;
    } else if (!isSpan) lonely.add(run);
  }
  return found;
}
