/**
 * Turns whatever a caller put into a field into a small, plain, redacted JSON value: deep, circular, huge and hostile
 * objects (throwing getters, proxies) included. Stands between the log's callers and its sinks; never throws.
 */
import { types } from "node:util";
import { toErrorFields } from "./error-fields.ts";
import type { Redactor } from "./redactor.ts";
import { isSecretName, redactedMark } from "./secret-shapes.ts";

export type PlainValue = string | number | boolean | null | PlainValue[] | { [key: string]: PlainValue };

const maxDepth = 6;
const maxEntries = 50;
const maxTextLength = 8_192;
/** For one line altogether; what comes after is left out. */
const maxNodes = 500;
const maxCharacters = 32_768;

export interface Bounds {
  /** Plain and redacted. `name` is the field's: values of `apiKey`, `token` … are not shown at all. */
  toPlain(value: unknown, name?: string): PlainValue;
  toText(text: string): string;
}

/** The bounds of one line; what it may still hold is counted down over all its fields. */
export function createBounds(redactor: Redactor): Bounds {
  const open = new Set<object>();
  let nodesLeft = maxNodes;
  let charactersLeft = maxCharacters;

  function toText(text: string): string {
    const limit = Math.min(maxTextLength, Math.max(0, charactersLeft));
    const clean = redactor.redactStart(text, limit);
    charactersLeft -= clean.length;
    return text.length > limit ? `${clean}… (${text.length} characters)` : clean;
  }

  function toPlain(value: unknown, name = ""): PlainValue {
    if (nodesLeft-- <= 0) return "…";
    if (value === null || value === undefined || typeof value === "boolean") return value ?? null;
    if (typeof value === "object") return toPlainObject(value);
    const text = typeof value === "function" ? `[function ${value.name}]` : String(value);
    if (typeof value === "string" && text !== "" && isSecretName(name)) return redactedMark;
    const clean = toText(text);
    return typeof value === "number" && Number.isFinite(value) && clean === text ? value : clean;
  }

  function toPlainObject(value: object): PlainValue {
    if (open.has(value)) return "[circular]";
    if (open.size >= maxDepth) return Array.isArray(value) ? "[array]" : "[object]";
    open.add(value);
    try {
      return types.isProxy(value) ? "[proxy]" : readObject(value);
    } catch {
      return "[unreadable]";
    } finally {
      open.delete(value);
    }
  }

  function readObject(value: object): PlainValue {
    if (types.isNativeError(value) || value instanceof Error) return toErrorObject(value);
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? "invalid date" : value.toISOString();
    if (value instanceof URL) return toText(value.href);
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
    if (value instanceof Map) return toEntries(takeFirst(value, readPair), value.size);
    if (value instanceof Set)
      return toList(
        takeFirst(value, (item) => item),
        value.size,
      );
    if (Array.isArray(value)) return toList(value.slice(0, maxEntries), value.length);
    const keys = Object.keys(value);
    return toEntries(
      takeFirst(keys, (key) => [key, Reflect.get(value, key)]),
      keys.length,
    );
  }

  function toErrorObject(error: Error): PlainValue {
    const fields = Object.entries(toErrorFields(error));
    return toEntries(fields, fields.length);
  }

  function toList(items: unknown[], total: number): PlainValue {
    const plain = items.map((item) => toPlain(item));
    return total > items.length ? [...plain, `… ${total - items.length} more`] : plain;
  }

  function toEntries(entries: [string, unknown][], total: number): PlainValue {
    const plain = entries.map(([key, item]) => [toText(key), toPlain(item, key)] as const);
    if (total > entries.length) plain.push(["…", `${total - entries.length} more`]);
    return Object.fromEntries(plain);
  }

  return { toPlain, toText };
}

const readPair = ([key, item]: [unknown, unknown]): [string, unknown] => [String(key), item];

/** The first `maxEntries`, without touching the rest: a field may be a table of a million rows. */
function takeFirst<T, R>(items: Iterable<T>, read: (item: T) => R): R[] {
  const taken: R[] = [];
  for (const item of items) {
    if (taken.length === maxEntries) break;
    taken.push(read(item));
  }
  return taken;
}
