/** Small values as people read them, in a chat and in a terminal: counts, money, sizes, days and moments. */

/** `950`, `12.3k`, `4.0M`. */
export function formatCount(count: number): string {
  if (count < 1000) return String(count);
  return count < 999_950 ? `${(count / 1000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

/** US dollars; small sums keep the digits that matter. */
export function formatCost(dollars: number): string {
  if (dollars === 0) return "$0";
  return dollars < 0.01 ? `$${dollars.toFixed(4)}` : `$${dollars.toFixed(2)}`;
}

/** `812 B`, `1.4 MiB`. */
export function formatBytes(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** `2026-11-16`, local time: the day that the usage ledger books on. */
export function formatDay(atMs: number): string {
  const at = new Date(atMs);
  return `${String(at.getFullYear()).padStart(4, "0")}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/** `2026-11-16 01:45`, local time; for a time that is none, as files of other programs may have it, says so. */
export function formatMoment(atMs: number): string {
  if (!Number.isFinite(atMs)) return "unknown time";
  const at = new Date(atMs);
  return `${formatDay(atMs)} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

const two = (part: number) => String(part).padStart(2, "0");
