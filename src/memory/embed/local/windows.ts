/**
 * The local model reads 256 tokens and nothing behind them. A longer text is read in parts, and the middle of their vectors
 * stands for it, so that what is said at its end can be found.
 */

/** About 256 tokens of English with some room. */
const windowChars = 900;

/** Parts of about equal size, cut between words where there are any. */
export function splitWindows(text: string): string[] {
  const count = Math.ceil(text.length / windowChars);
  if (count <= 1) return [text];
  const windows: string[] = [];
  let start = 0;
  for (let left = count; left > 1; left--) {
    const target = start + Math.ceil((text.length - start) / left);
    const space = text.lastIndexOf(" ", target);
    const end = space > start ? space : target;
    windows.push(text.slice(start, end));
    start = end;
  }
  windows.push(text.slice(start));
  return windows.filter((window) => window.trim() !== "");
}

/** Their mean. The caller brings it to unit length. */
export function meanOf(vectors: readonly (readonly number[])[]): Float32Array {
  const mean = new Float32Array(vectors[0]?.length ?? 0);
  for (const vector of vectors) for (const [at, value] of vector.entries()) mean[at] = (mean[at] ?? 0) + value;
  return mean.map((value) => value / vectors.length);
}
