/** Dotted paths to a key, as people type and read them: `adapters."a.b".dm`, `agents.main.fallbacks.0`. */
import { UsageError } from "../base/errors.ts";
import { quoteText } from "./quote-text.ts";

export type PathSegment = string | number;
export type ConfigPath = readonly PathSegment[];

const plainSegment = /^[\p{L}\p{N}_$@:+/#-]+$/u;
const nextSegment = /"((?:[^"\\]|\\.)*)"|([^."\s][^."]*)/uy;

export function formatConfigPath(path: readonly PropertyKey[]): string {
  return path.map((segment) => (plainSegment.test(String(segment)) ? String(segment) : quoteText(segment))).join(".");
}

/** Throws `CONFIG_PATH_INVALID`. Every segment is a string; in a list, its digits are the index. */
export function parseConfigPath(text: string): string[] {
  const segments: string[] = [];
  let at = 0;
  for (;;) {
    nextSegment.lastIndex = at;
    const match = nextSegment.exec(text);
    if (!match) throw badPath(text);
    segments.push(match[1] === undefined ? match[0] : unquote(match[0], text));
    at += match[0].length;
    if (at === text.length) return segments;
    if (text[at] !== ".") throw badPath(text);
    at += 1;
  }
}

function unquote(quoted: string, text: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    throw badPath(text);
  }
}

function badPath(text: string): UsageError {
  return new UsageError("CONFIG_PATH_INVALID", `${quoteText(text)} is not a path to a config key.`, {
    hint: 'Join the keys with dots and put a key that has dots itself in double quotes: adapters."a.b".dm',
  });
}

/** The value at `path`, or undefined. Looks at own keys only. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value;
  for (const segment of path) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, segment)) return undefined;
    current = Reflect.get(current, segment);
  }
  return current;
}

/** Do the paths name the same place, or one a place inside the other? */
export function isSameBranch(a: readonly PropertyKey[], b: readonly PropertyKey[]): boolean {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) if (String(a[i]) !== String(b[i])) return false;
  return true;
}
