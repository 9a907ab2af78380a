/**
 * Finds a run of lines among others in time proportional to both (Knuth, Morris and Pratt): a file of lines that are all
 * alike, searched for many that nearly are, must not take longer than any other.
 */
export interface FoundRuns {
  /** Where the whole run begins; runs may overlap. Ascending. */
  starts: number[];
  /** The first place with the most lines of the run, from its first line on. */
  best: { start: number; matching: number };
}

/** `wanted` is not empty. */
export function findRuns(lines: readonly string[], wanted: readonly string[], from: number): FoundRuns {
  const fallbacks = buildFallbacks(wanted);
  const found: FoundRuns = { starts: [], best: { start: from, matching: 0 } };
  let matching = 0;
  for (let i = from; i < lines.length; i++) {
    while (matching > 0 && lines[i] !== wanted[matching]) matching = fallbacks[matching - 1] ?? 0;
    if (lines[i] === wanted[matching]) matching++;
    if (matching > found.best.matching) found.best = { start: i + 1 - matching, matching };
    if (matching < wanted.length) continue;
    found.starts.push(i + 1 - matching);
    matching = fallbacks[matching - 1] ?? 0;
  }
  return found;
}

/** For each line of the run: how many lines up to it are also its beginning. */
function buildFallbacks(wanted: readonly string[]): number[] {
  const fallbacks = [0];
  let length = 0;
  for (let i = 1; i < wanted.length; i++) {
    while (length > 0 && wanted[i] !== wanted[length]) length = fallbacks[length - 1] ?? 0;
    if (wanted[i] === wanted[length]) length++;
    fallbacks.push(length);
  }
  return fallbacks;
}
