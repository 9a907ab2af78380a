/** Dotted paths to a key, as the gateway takes and gives them: `adapters."a.b".dm`, `agents.main.fallbacks.0`. */
import { isObject } from "./json-schema.ts";

/** Keys from the outside in; in a list, the index in digits. */
export type Path = readonly string[];

const plainSegment = /^[\p{L}\p{N}_$@:+/#-]+$/u;

export function formatPath(path: Path): string {
  return path.map((segment) => (plainSegment.test(segment) ? segment : JSON.stringify(segment))).join(".");
}

/** Is `inner` the place itself or one inside it? */
export function isWithin(inner: Path, outer: Path): boolean {
  return outer.length <= inner.length && outer.every((segment, i) => segment === inner[i]);
}

/** The same for formatted paths. */
export function isTextWithin(inner: string, outer: string): boolean {
  return outer === "" || inner === outer || inner.startsWith(`${outer}.`);
}

/** The value at `path`, or undefined. Looks at own keys only. */
export function valueAt(value: unknown, path: Path): unknown {
  let current = value;
  for (const segment of path) {
    if (Array.isArray(current)) current = current[Number(segment)];
    else if (isObject(current) && Object.hasOwn(current, segment)) current = current[segment];
    else return undefined;
  }
  return current;
}

/** A copy with the one entry set or, for undefined, gone. Objects that are missing on the way are made. */
export function withValueAt(current: unknown, path: Path, value: unknown): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  const inner = withValueAt(valueAt(current, [name]), rest, value);
  if (Array.isArray(current)) {
    const at = Number(name);
    return inner === undefined ? current.toSpliced(at, 1) : current.toSpliced(at, 1, inner);
  }
  const own = Object.entries(isObject(current) ? current : {});
  if (inner === undefined) return Object.fromEntries(own.filter(([key]) => key !== name));
  const isThere = own.some(([key]) => key === name);
  return Object.fromEntries(
    isThere ? own.map(([key, old]) => [key, key === name ? inner : old]) : [...own, [name, inner]],
  );
}

/** Words that are written in one way only. */
const names = "API CPU DM HTTP ID IP JSON mDNS MCP ms OpenAI TTS UI URL USD".split(" ");
const known = new Map(names.map((name) => [name.toLowerCase(), name]));

/** `toolOutput` → `Tool output`, `apiUrl` → `API URL`: a key as people read it. */
export function humanise(key: string): string {
  const words = key.replaceAll(/([a-z\d])([A-Z])/g, "$1 $2").split(" ");
  const [first = "", ...rest] = words.map((word) => known.get(word.toLowerCase()) ?? word);
  const begin = known.has(first.toLowerCase()) ? first : first.charAt(0).toUpperCase() + first.slice(1);
  return [begin, ...rest.map((word) => (known.has(word.toLowerCase()) ? word : word.toLowerCase()))].join(" ");
}
