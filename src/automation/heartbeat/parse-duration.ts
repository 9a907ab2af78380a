/** Durations as people write them in the config: `90s`, `5m`, `1h30m`, `2d`. Nothing is guessed. */

const unitMs: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 };

export const shortestEveryMs = 60_000;
export const longestEveryMs = 7 * 86_400_000;

/** Milliseconds; undefined: it is none. Each unit once, the longest first, whole numbers. */
export function parseDuration(text: string): number | undefined {
  const found = /^(?:(\d{1,6})d)?(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,6})s)?$/.exec(text.trim().toLowerCase());
  if (!found || found[0] === "") return undefined;
  return Object.keys(unitMs).reduce((sum, unit, n) => sum + Number(found[n + 1] ?? 0) * (unitMs[unit] ?? 0), 0);
}
