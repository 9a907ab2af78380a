/** Patterns in policies: `*` stands for any run of characters, everything else for itself. */
export interface Wildcard {
  /** What stands between the stars; one piece where there is none. */
  pieces: readonly string[];
}

export const parseWildcard = (pattern: string): Wildcard => ({ pieces: pattern.split("*") });

export function matchesWildcard(text: string, { pieces }: Wildcard): boolean {
  const first = pieces[0] ?? "";
  if (pieces.length === 1) return text === first;
  if (!text.startsWith(first)) return false;
  const last = pieces.at(-1) ?? "";
  let at = first.length;
  for (let n = 1; n < pieces.length - 1; n++) {
    const piece = pieces[n] ?? "";
    const found = text.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
