/** Parameters that a schema does not know, made from the schema: each breaks one rule. */
import type { Json, Schema } from "./stranger.ts";

export interface BadParams {
  what: string;
  params: Json;
}

/** Something that fits, as small as it may be. */
export function makeSample(schema: Schema): unknown {
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf?.[0]) return makeSample(schema.anyOf[0]);
  switch (schema.type) {
    case "object":
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, makeSample(schema.properties?.[name] ?? {})]),
      );
    case "array":
      return Array.from({ length: schema.minItems ?? 0 }, () => makeSample(schema.items ?? {}));
    case "string":
      return "x".repeat(schema.minLength ?? 0);
    case "integer":
    case "number":
      return schema.minimum ?? 0;
    case "boolean":
      return false;
    default:
      return null;
  }
}

/** `good` is what they differ from. */
export function listBadParams(schema: Schema, good: Json): BadParams[] {
  const properties = Object.entries(schema.properties ?? {});
  const missing = (schema.required ?? []).map((name): BadParams => {
    const { [name]: _, ...params } = good;
    return { what: `without ${name}`, params };
  });
  const wrong = properties.flatMap(([name, property]) =>
    listBadValues(property, good[name]).map(
      ([what, value]): BadParams => ({ what: `${name}: ${what}`, params: { ...good, [name]: value } }),
    ),
  );
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`no-such-key-${n}`, n]));
  return [
    ...missing,
    ...wrong,
    { what: "with a key that nobody knows", params: { ...good, "no-such-key": 1 } },
    { what: "with many of them", params: { ...good, ...many } },
  ];
}

type BadValue = [what: string, value: unknown];

function listBadValues(schema: Schema, good: unknown): BadValue[] {
  if (schema.anyOf) return [["of no type that it may have", { no: "such" }]];
  // Anything is right where the schema says nothing.
  if (schema.type === undefined && !schema.enum) return [];
  const ofType: BadValue[] = [["a list in place of it", [{ no: "such" }, 7]]];
  if (schema.type !== "object") ofType.push(["an object in place of it", { no: "such" }], ["null", null]);
  if (schema.enum) return [...ofType, ["none of the known", "no-such-value"]];
  if (schema.type === "string") return [...ofType, ["a number", 7], ...listBadTexts(schema)];
  if (schema.type === "integer" || schema.type === "number")
    return [...ofType, ["a text", "7"], ...listBadNumbers(schema)];
  if (schema.type === "array") return [["a text", "x"], ["an object", {}], ...listBadLists(schema, good)];
  return ofType;
}

function listBadTexts({ minLength = 0, maxLength, pattern }: Schema): BadValue[] {
  return [
    ...(minLength > 0 ? [["too short", "x".repeat(minLength - 1)] satisfies BadValue] : []),
    ...(maxLength !== undefined ? [["too long", "x".repeat(maxLength + 1)] satisfies BadValue] : []),
    ...(pattern !== undefined ? [["against its pattern", "\n ü ".repeat(3)] satisfies BadValue] : []),
  ];
}

function listBadNumbers({ type, minimum, maximum }: Schema): BadValue[] {
  return [
    ...(type === "integer" ? [["a part of a number", 1.5] satisfies BadValue] : []),
    ...(minimum !== undefined ? [["too small", minimum - 1] satisfies BadValue] : []),
    ...(maximum !== undefined ? [["too large", maximum + 1] satisfies BadValue] : []),
  ];
}

function listBadLists({ items = {}, minItems = 0, maxItems }: Schema, good: unknown): BadValue[] {
  const one = Array.isArray(good) && good.length > 0 ? good[0] : makeSample(items);
  const inner = listBadValues(items, one).map(([what, value]): BadValue => [`in it ${what}`, [value]]);
  return [
    ...inner,
    ...(minItems > 0 ? [["empty", []] satisfies BadValue] : []),
    ...(maxItems !== undefined
      ? [["too many", Array.from({ length: maxItems + 1 }, () => one)] satisfies BadValue]
      : []),
  ];
}
