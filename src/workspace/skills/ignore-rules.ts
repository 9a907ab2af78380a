/**
 * `.gitignore` and `.ignore` of the folders on the way down from a place with skills. Deeper files overrule higher ones,
 * `.ignore` overrules `.gitignore`. The agent can write such files, and a pattern with many stars takes a regular
 * expression for ever, so their number and their stars are bounded.
 */
import { relative, sep } from "node:path";
import ignore, { type Ignore } from "ignore";

export interface IgnoreRules {
  /** The folder that the patterns are relative to. */
  folder: string;
  matcher: Ignore;
}

export const ignoreFileNames = [".gitignore", ".ignore"] as const;
export const maxIgnoreBytes = 16 * 1024;
const maxLines = 200;
const maxStarRuns = 2;

/** `leftOut`: how many patterns are not used, being too many or too costly. */
export function buildIgnoreRules(folder: string, texts: readonly string[]): { rules: IgnoreRules; leftOut: number } {
  const lines = texts.flatMap((text) => text.split("\n")).filter((line) => line.trim() !== "" && !line.startsWith("#"));
  const usable = lines.filter((line) => (line.match(/\*+/g) ?? []).length <= maxStarRuns).slice(0, maxLines);
  return { rules: { folder, matcher: ignore().add(usable) }, leftOut: lines.length - usable.length };
}

/** `chain`: from the place's root folder downwards. */
export function isIgnored(chain: readonly IgnoreRules[], path: string, isFolder: boolean): boolean {
  let ignored = false;
  for (const { folder, matcher } of chain) {
    const way = relative(folder, path).replaceAll(sep, "/") + (isFolder ? "/" : "");
    const found = matcher.test(way);
    if (found.ignored) ignored = true;
    else if (found.unignored) ignored = false;
  }
  return ignored;
}
