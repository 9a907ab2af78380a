/** Long texts, cut in the middle, where the least is lost: what a screen shows must not grow with what a tool gave. */

/** Characters of one text. */
export const longestText = 20_000;
const longestSmall = 1000;
/** Of a value with many texts, as JSON. */
const largestValue = 64 * 1024;
/** Deeper than anything that people write; without a limit the depth would be a stranger's choice. */
const deepest = 32;

export function shortenText(text: string, longest = longestText): string {
  if (text.length <= longest) return text;
  const half = Math.floor(longest / 2);
  const head = text.slice(0, half).replace(/[\ud800-\udbff]$/, "");
  const tail = text.slice(-half).replace(/^[\udc00-\udfff]/, "");
  return `${head}\n… (${text.length - head.length - tail.length} characters left out) …\n${tail}`;
}

/** The same value with its long texts cut; one that is too large all the same says only that. */
export function shortenValue(value: unknown): unknown {
  for (const longest of [longestText, longestSmall]) {
    const cut = mapTexts(value, (text) => shortenText(text, longest));
    if (jsonLength(cut) <= largestValue) return cut;
  }
  return { "…": "too much to show" };
}

export const shortenRecord = (value: Record<string, unknown>): Record<string, unknown> => {
  const cut = shortenValue(value);
  return isRecord(cut) ? cut : {};
};

/** Infinity for what JSON cannot hold. */
export function jsonLength(value: unknown): number {
  try {
    return JSON.stringify(value)?.length ?? 0;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function mapTexts(value: unknown, change: (text: string) => string, depth = 0): unknown {
  if (typeof value === "string") return change(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= deepest) return "…";
  const next = (each: unknown) => mapTexts(each, change, depth + 1);
  if (Array.isArray(value)) return value.map(next);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, next(each)]));
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
