/**
 * A config as it is written, for eyes that may not see its secrets: hidden by where they stand, not by what a valid file would
 * make of them. So a file with a mistake in it gives nothing away, nor does a key that is misspelt.
 */
import type { z } from "zod";
import type { ConfigPath } from "./config-path.ts";
import { matchSchema } from "./match-schema.ts";

const hidden = "***";
/** A reference is no secret; what it stands for is. */
const reference = /^\$\{[^}]*\}$/;
/** Where the schema cannot be laid over the value (a list in place of names), the name of a key must do. */
const tellingName = /key$|token|secret|passw|credential/i;
const userInfo = /(\/\/)[^/@\s]+@/g;

/** `value`: what the file says, references as they stand. */
export function redactWritten(schema: z.ZodType, value: unknown): unknown {
  const { secretPaths, unknown } = matchSchema(schema, value);
  const closed = new Set([...secretPaths, ...unknown.map(({ path }) => path)].map(toKey));
  const show = (part: unknown, path: ConfigPath, isClosed: boolean): unknown => {
    const isSecret = isClosed || closed.has(toKey(path)) || tellingName.test(String(path.at(-1) ?? ""));
    if (Array.isArray(part)) return part.map((item, at) => show(item, [...path, at], isSecret));
    if (typeof part === "object" && part !== null) {
      if (Object.keys(part).join() === "$file") return part;
      return Object.fromEntries(Object.entries(part).map(([key, item]) => [key, show(item, [...path, key], isSecret)]));
    }
    if (typeof part === "string")
      return isSecret && !reference.test(part) ? hidden : part.replace(userInfo, `$1${hidden}@`);
    return isSecret && part !== null ? hidden : part;
  };
  return show(value, [], false);
}

/** The texts that it hides, for whoever shows the file itself. */
export function listWrittenSecrets(schema: z.ZodType, value: unknown): string[] {
  const found: string[] = [];
  const compare = (before: unknown, after: unknown) => {
    if (after === hidden && before !== hidden) found.push(String(before));
    else if (typeof before === "object" && before !== null) {
      for (const [key, item] of Object.entries(before)) compare(item, Reflect.get(Object(after), key));
    } else if (typeof before === "string" && before !== after) {
      found.push(...[...before.matchAll(userInfo)].map(([text]) => text.slice(2, -1)));
    }
  };
  compare(value, redactWritten(schema, value));
  return found;
}

const toKey = (path: ConfigPath) => JSON.stringify(path.map(String));
