/** Numbers and times for people. */
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** `just now`, `5 min ago`, `in 2 h`, `3 days ago`, then the date. */
export function relativeTime(at: number, now: number = Date.now()): string {
  const distance = Math.abs(now - at);
  if (distance < minuteMs) return at > now + 5_000 ? "in a moment" : "just now";
  const amount =
    distance < hourMs
      ? `${Math.round(distance / minuteMs)} min`
      : distance < dayMs
        ? `${Math.round(distance / hourMs)} h`
        : distance < 14 * dayMs
          ? `${Math.round(distance / dayMs)} ${Math.round(distance / dayMs) === 1 ? "day" : "days"}`
          : undefined;
  if (amount === undefined) return new Date(at).toLocaleDateString(undefined, { dateStyle: "medium" });
  return at > now ? `in ${amount}` : `${amount} ago`;
}

export const formatTime = (at: number): string => new Date(at).toLocaleTimeString(undefined, { timeStyle: "short" });
export const formatMoment = (at: number): string =>
  new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });

/** `812`, `12.3k`, `4.1M`. */
export function formatTokens(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 999_500) return `${trim(count / 1_000)}k`;
  return `${trim(count / 1_000_000)}M`;
}

/** US dollars: `$0.0042`, `$1.20`. */
export function formatCost(dollars: number): string {
  if (dollars === 0) return "$0";
  if (dollars < 0.0001) return "<$0.0001";
  return dollars < 0.1 ? `$${dollars.toFixed(4)}` : `$${dollars.toFixed(2)}`;
}

export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const units = ["kB", "MB", "GB", "TB"];
  const power = Math.min(units.length, Math.floor(Math.log10(bytes) / 3));
  return `${trim(bytes / 1_000 ** power)} ${units[power - 1]}`;
}

/** `340 ms`, `12.4 s`, `3 min 5 s`, `2 h 10 min`, `3 d 4 h`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.floor(ms)} ms`;
  if (ms < minuteMs) return `${trim(Math.floor(ms / 100) / 10)} s`;
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)} min ${Math.floor((ms % minuteMs) / 1_000)} s`;
  if (ms < dayMs) return `${Math.floor(ms / hourMs)} h ${Math.floor((ms % hourMs) / minuteMs)} min`;
  return `${Math.floor(ms / dayMs)} d ${Math.floor((ms % dayMs) / hourMs)} h`;
}

const trim = (value: number) => (value < 100 ? value.toFixed(1).replace(/\.0$/, "") : value.toFixed(0));
