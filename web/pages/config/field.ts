/** What the form draws for a piece of the schema: the one place that knows how JSON Schema is read. */
import { isObject, isSame, type JsonSchema } from "./json-schema.ts";

/** One of the things that a value may be: a fixed value, or whatever another schema allows. */
export type Option = { label: string; value: unknown; schema?: undefined } | { label: string; schema: JsonSchema };

export type Shape =
  | { type: "section"; properties: { key: string; schema: JsonSchema; isRequired: boolean }[] }
  /** Entries by name, all of one kind. */
  | { type: "record"; names: JsonSchema | undefined; values: JsonSchema }
  /** Objects told apart by a fixed value of one key. */
  | { type: "union"; tag: string; variants: { name: string; schema: JsonSchema }[] }
  | { type: "choice"; options: Option[] }
  | { type: "list"; items: JsonSchema }
  | { type: "enum"; values: readonly unknown[] }
  | { type: "constant"; value: unknown }
  | { type: "boolean" }
  | { type: "number"; isInteger: boolean }
  | { type: "text" }
  | { type: "secret" }
  /** Nothing above draws it. */
  | { type: "json" };

export interface Field {
  shape: Shape;
  /** With references followed and null taken out. */
  schema: JsonSchema;
  description: string;
  isNullable: boolean;
}

export function describeField(written: JsonSchema, root: JsonSchema): Field {
  const followed = follow(written, root);
  const { schema, isNullable } = withoutNull(followed, root);
  const description = written.description ?? followed.description ?? schema.description ?? "";
  return { shape: toShape(schema, root), schema, description, isNullable };
}

/** Chains of references are short; one that goes in a circle ends as something that only the JSON editor draws. */
const mostSteps = 10;

export function follow(schema: JsonSchema, root: JsonSchema): JsonSchema {
  let current = schema;
  for (let step = 0; step < mostSteps && current.$ref !== undefined; step++) {
    const name = /^#\/(?:\$defs|definitions)\/(.+)$/.exec(current.$ref)?.[1];
    const target = name === undefined ? undefined : root.$defs?.[name];
    if (!target) return {};
    const { $ref: _, ...own } = current;
    current = { ...target, ...own };
  }
  return current.$ref === undefined ? current : {};
}

function withoutNull(schema: JsonSchema, root: JsonSchema): { schema: JsonSchema; isNullable: boolean } {
  if (Array.isArray(schema.type) && schema.type.includes("null")) {
    const types = schema.type.filter((type) => type !== "null");
    return { schema: { ...schema, type: types.length === 1 ? (types[0] ?? "null") : types }, isNullable: true };
  }
  const variants = schema.anyOf ?? schema.oneOf;
  const others = variants?.filter((variant) => follow(variant, root).type !== "null");
  if (!variants || !others || others.length === variants.length) return { schema, isNullable: false };
  const { anyOf: _, oneOf: __, ...own } = schema;
  const [only] = others;
  if (others.length === 1 && only) return { schema: { ...follow(only, root), ...own }, isNullable: true };
  return { schema: { ...own, anyOf: others }, isNullable: true };
}

function toShape(schema: JsonSchema, root: JsonSchema): Shape {
  if ("const" in schema) return { type: "constant", value: schema.const };
  if (schema.enum) return { type: "enum", values: schema.enum };
  const variants = (schema.anyOf ?? schema.oneOf)?.map((variant) => follow(variant, root));
  if (variants) return toUnion(variants) ?? toChoice(variants);
  switch (schema.type) {
    case "object":
      return toObject(schema);
    case "array":
      return schema.items ? { type: "list", items: schema.items } : { type: "json" };
    case "boolean":
      return { type: "boolean" };
    case "number":
    case "integer":
      return { type: "number", isInteger: schema.type === "integer" };
    case "string":
      return { type: schema.writeOnly ? "secret" : "text" };
    default:
      return { type: "json" };
  }
}

function toObject(schema: JsonSchema): Shape {
  if (schema.properties) {
    const required = new Set(schema.required);
    const properties = Object.entries(schema.properties).map(([key, child]) => ({
      key,
      schema: child,
      isRequired: required.has(key),
    }));
    return { type: "section", properties };
  }
  const values = schema.additionalProperties;
  return isObject(values) ? { type: "record", names: schema.propertyNames, values } : { type: "json" };
}

/** Every variant is an object that fixes the same key to a text of its own. */
function toUnion(variants: readonly JsonSchema[]): Shape | undefined {
  const [first] = variants;
  if (variants.length < 2 || !first?.properties) return undefined;
  for (const tag of Object.keys(first.properties)) {
    const names = variants.map((variant) => variant.properties?.[tag]?.const);
    const texts = names.filter((name) => typeof name === "string");
    if (texts.length < variants.length || new Set(texts).size < texts.length) continue;
    return { type: "union", tag, variants: variants.map((schema, i) => ({ name: texts[i] ?? "", schema })) };
  }
  return undefined;
}

function toChoice(variants: readonly JsonSchema[]): Shape {
  const options = variants.flatMap((schema): Option[] => {
    if ("const" in schema) return [{ label: String(schema.const), value: schema.const }];
    if (schema.enum) return schema.enum.map((value) => ({ label: String(value), value }));
    return [{ label: labelOf(schema), schema }];
  });
  const constants = options.flatMap((option) => (option.schema ? [] : [option.value]));
  return constants.length === options.length ? { type: "enum", values: constants } : { type: "choice", options };
}

function labelOf(schema: JsonSchema): string {
  if (schema.title !== undefined) return schema.title;
  if (schema.type === "array") return "a list";
  if (schema.type === "object") return schema.properties ? "each on its own" : "by name";
  if (schema.type === "string") return "another text";
  if (schema.type === "boolean") return "yes or no";
  return schema.type === "number" || schema.type === "integer" ? "a number" : "something else";
}

/** Which option the value is, by its outer kind; undefined where it is none of them. */
export function pickOption(options: readonly Option[], value: unknown, root: JsonSchema): number | undefined {
  const exact = options.findIndex((option) => !option.schema && isSame(option.value, value));
  const found = exact >= 0 ? exact : options.findIndex((option) => option.schema && fits(option.schema, value, root));
  return found < 0 ? undefined : found;
}

/** Can the value be drawn with the field of this schema at all? Only its outer kind is looked at. */
export function fits(written: JsonSchema, value: unknown, root: JsonSchema): boolean {
  const { shape, isNullable } = describeField(written, root);
  if (value === undefined || shape.type === "json") return true;
  if (value === null) return isNullable;
  switch (shape.type) {
    case "section":
    case "record":
    case "union":
      return isObject(value) && !isReference(value);
    case "choice":
      return pickOption(shape.options, value, root) !== undefined;
    case "list":
      return Array.isArray(value);
    case "boolean":
      return typeof value === "boolean";
    // What was typed into the field and is not a number yet stays there as text.
    case "number":
      return typeof value === "number" || typeof value === "string";
    case "text":
    case "secret":
      return typeof value === "string";
    case "enum":
    case "constant":
      return typeof value !== "object";
  }
}

/** The keys of an object as they are shown: those of the schema, then those that it does not know, notes for editors last. */
export function listKeys(
  shape: Extract<Shape, { type: "section" }>,
  value: unknown,
): { key: string; schema: JsonSchema; isRequired: boolean }[] {
  const known = new Set(shape.properties.map(({ key }) => key));
  const odd = Object.keys(isObject(value) ? value : {}).filter((key) => !known.has(key));
  const all = [
    ...shape.properties,
    ...odd.map((key) => ({ key, schema: { description: "The schema does not know this key." }, isRequired: false })),
  ];
  const isNote = (key: string) => key.startsWith("$");
  return [...all.filter(({ key }) => !isNote(key)), ...all.filter(({ key }) => isNote(key))];
}

/** `{ "$file": "path" }`: the file says where the value lies. */
export function isReference(value: unknown): boolean {
  return isObject(value) && typeof value["$file"] === "string";
}

/** What a new entry of this kind begins with. */
export function startingValue(written: JsonSchema, root: JsonSchema): unknown {
  const { shape, schema } = describeField(written, root);
  if (schema.default !== undefined) return structuredClone(schema.default);
  switch (shape.type) {
    case "section":
    case "record":
    case "json":
      return {};
    case "union":
      return { [shape.tag]: shape.variants[0]?.name ?? "" };
    case "choice": {
      const [first] = shape.options;
      return first?.schema ? startingValue(first.schema, root) : first?.value;
    }
    case "list":
      return [];
    case "boolean":
      return false;
    case "number":
      return Math.max(schema.minimum ?? 0, 0);
    case "enum":
      return shape.values[0];
    case "constant":
      return shape.value;
    case "text":
    case "secret":
      return "";
  }
}
