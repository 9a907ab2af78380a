/** When a provider says that it will answer again, apart from `Retry-After`: in its rate limit headers, or in its words. */

/** One limit: what is left of it and when it is full again, as the headers have it. */
interface Limit {
  remaining: string | null;
  reset: string | null;
}

/**
 * Milliseconds until the exhausted limits are open again. A limit that is known not to be exhausted says nothing; the
 * others count, the last of them wins.
 */
export function readResetMs(headers: Headers, nowMs: number): number | undefined {
  const waits = listLimits(headers)
    .filter(({ remaining }) => remaining === null || Number(remaining) <= 0)
    .map(({ reset }) => (reset === null ? undefined : parseReset(reset, nowMs)))
    .filter((wait) => wait !== undefined);
  return waits.length === 0 ? undefined : Math.max(...waits);
}

/** Milliseconds that the words name: `try again in 6m0s`, `Please retry in 34.07s`, `"retryDelay": "34s"`. */
export function readRetryHint(text: string): number | undefined {
  const found =
    /"retryDelay"\s*:\s*"([\d.hms]+)"/.exec(text) ??
    /\b(?:try again|retry)\s+(?:in|after)\s+((?:[\d.]+\s*(?:ms|h|m|s)(?![a-z])\s*)+)/i.exec(text) ??
    /\b(?:try again|retry)\s+(?:in|after)\s+([\d.]+\s*(?:milliseconds?|seconds?|minutes?|hours?))/i.exec(text);
  return found?.[1] === undefined ? undefined : parseDuration(found[1]);
}

/** `anthropic-ratelimit-<what>-reset` and `x-ratelimit-reset-<what>`, each with its `remaining`. */
function listLimits(headers: Headers): Limit[] {
  return [...headers.keys()].flatMap((name) => {
    const anthropic = /^(anthropic-ratelimit-.+)-reset$/.exec(name);
    const openai = /^(x-ratelimit-)reset(-.+)?$/.exec(name);
    if (anthropic === null && openai === null) return [];
    const counter = anthropic === null ? `${openai?.[1]}remaining${openai?.[2] ?? ""}` : `${anthropic[1]}-remaining`;
    return [{ remaining: headers.get(counter), reset: headers.get(name) }];
  });
}

/** Numbers from here on are seconds since 1970, not seconds to wait: a wait of thirty years is none. */
const firstEpochSeconds = 1e9;

/** A date, seconds since 1970, or a duration. */
function parseReset(text: string, nowMs: number): number | undefined {
  const value = text.trim();
  if (/^\d+(\.\d+)?$/.test(value)) {
    const seconds = Number(value);
    return seconds < firstEpochSeconds ? Math.ceil(seconds * 1000) : Math.max(0, seconds * 1000 - nowMs);
  }
  if (/^\d{4}-\d{2}-\d{2}T/.test(value)) {
    const dateMs = Date.parse(value);
    return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
  }
  return parseDuration(value);
}

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;

/** `6m0s`, `1h2m`, `34.07s`, `350ms`, `20 seconds`. */
function parseDuration(text: string): number | undefined {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)\s*(ms|milliseconds?|[hms])/gi)];
  if (parts.length === 0) return undefined;
  const sum = parts.reduce((total, [, amount, unit]) => total + Number(amount) * toMs(unit ?? "s"), 0);
  return Math.ceil(sum);
}

function toMs(unit: string): number {
  const name = unit.toLowerCase();
  if (name.startsWith("ms") || name.startsWith("milli")) return unitMs.ms;
  return name === "h" ? unitMs.h : name === "m" ? unitMs.m : unitMs.s;
}
