/** Checks a model's arguments against a tool's schema and, when they do not fit, says so in a way it can act on. */
import type { TSchema } from "typebox";
import { Value } from "typebox/value";
import { pickNearest } from "../base/nearest.ts";

export type Validated = { type: "valid"; params: unknown } | { type: "invalid"; problems: string[] };

const maxProblems = 5;

/** Obvious slips are mended (`"7"` for 7, null for "left out"); anything else is a problem with path, expected and found. */
export function validateArguments(schema: TSchema, given: Record<string, unknown>): Validated {
  const required = new Set(stringsOf(field(schema, "required")));
  const present = Object.entries(given).filter(([name, value]) => value !== null || required.has(name));
  const params = Value.Convert(schema, Object.fromEntries(present));
  if (Value.Check(schema, params)) return { type: "valid", params };
  const problems = new Set(Value.Errors(schema, params).flatMap((error) => describeError(schema, params, error)));
  return { type: "invalid", problems: [...problems].slice(0, maxProblems) };
}

function describeError(
  schema: TSchema,
  params: unknown,
  error: { keyword: string; instancePath: string; params: unknown },
) {
  const missing = stringsOf(field(error.params, "requiredProperties"));
  if (missing.length > 0) return missing.map((name) => describeMissing(schema, error.instancePath, name));
  const unknown = stringsOf(field(error.params, "additionalProperties"));
  if (unknown.length > 0) return unknown.map((name) => describeUnknown(schema, error.instancePath, name));
  const at = findAt(schema, params, error.instancePath);
  if (at.schema === undefined) {
    const cut = error.instancePath.lastIndexOf("/");
    return [describeUnknown(schema, error.instancePath.slice(0, cut), error.instancePath.slice(cut + 1))];
  }
  return [`${at.path}: expected ${describeSchema(at.schema)}, found ${describeValue(at.value)}`];
}

function describeMissing(schema: TSchema, pointer: string, name: string): string {
  const at = findAt(schema, undefined, `${pointer}/${name}`);
  return `${at.path}: missing; expected ${describeSchema(at.schema)}`;
}

function describeUnknown(schema: TSchema, pointer: string, name: string): string {
  const owner = findAt(schema, undefined, pointer);
  const known = Object.keys(field(owner.schema, "properties") ?? {});
  const nearest = pickNearest(name, known);
  const path = findAt(schema, undefined, `${pointer}/${name}`).path;
  return `${path}: unknown${nearest === undefined ? `; known are ${known.join(", ")}` : `; did you mean ${nearest}?`}`;
}

/** Follows a JSON pointer through the schema and the value at once. */
function findAt(schema: unknown, value: unknown, pointer: string) {
  const names = pointer
    .split("/")
    .slice(1)
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
  let here = { schema, value };
  for (const name of names) {
    const below = field(field(here.schema, "properties"), name) ?? field(here.schema, "items");
    here = { schema: below, value: field(here.value, name) };
  }
  return { ...here, path: names.length === 0 ? "arguments" : names.join(".") };
}

function describeSchema(schema: unknown): string {
  const choices = field(schema, "enum");
  if (Array.isArray(choices)) return `one of ${choices.map((choice) => JSON.stringify(choice)).join(", ")}`;
  const type = field(schema, "type");
  const bounds = boundWords.flatMap(([key, words]) => {
    const bound = field(schema, key);
    return typeof bound === "number" ? [`${words} ${bound}`] : [];
  });
  return [typeof type === "string" ? type : "another value", ...bounds].join(", ");
}

const boundWords = [
  ["minimum", "at least"],
  ["maximum", "at most"],
  ["minLength", "length at least"],
  ["maxLength", "length at most"],
] as const;

function describeValue(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 80 ? `${text.slice(0, 80)}… (length ${text.length})` : text;
}

/** An own property of whatever is there. */
function field(of: unknown, name: string): unknown {
  if (typeof of !== "object" || of === null || !Object.hasOwn(of, name)) return undefined;
  return Object.getOwnPropertyDescriptor(of, name)?.value;
}

const stringsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
