/**
 * Does a value hold to its schema? Asked while somebody types, so that a slip is seen at once; the gateway's word counts.
 * Values that nobody here can judge (hidden secrets, references to the environment or a file) pass.
 */
import { isHidden } from "./change-set.ts";
import { describeField, isReference, pickOption } from "./field.ts";
import { isObject, type JsonSchema } from "./json-schema.ts";
import type { Path } from "./path.ts";

export interface Slip {
  path: Path;
  message: string;
}

/** More help nobody. */
const mostSlips = 100;

export function checkValue(schema: JsonSchema, value: unknown, root: JsonSchema, path: Path = []): Slip[] {
  return check(schema, value, root, path).slice(0, mostSlips);
}

function check(written: JsonSchema, value: unknown, root: JsonSchema, path: Path): Slip[] {
  if (value === undefined || isHidden(value) || isReference(value)) return [];
  const { shape, schema, isNullable } = describeField(written, root);
  if (value === null && isNullable) return [];
  const slip = (message: string): Slip[] => [{ path, message }];
  switch (shape.type) {
    case "section":
      return isObject(value) ? checkSection(shape.properties, value, root, path) : slip("This must be an object.");
    case "record":
      return isObject(value) ? checkRecord(shape, value, root, path) : slip("This must be an object.");
    case "union": {
      if (!isObject(value)) return slip("This must be an object.");
      const variant = shape.variants.find(({ name }) => name === value[shape.tag]);
      return variant ? check(variant.schema, value, root, path) : slip(`Choose a ${shape.tag}.`);
    }
    case "choice": {
      const at = pickOption(shape.options, value, root);
      const option = at === undefined ? undefined : shape.options[at];
      if (!option) return slip("This is none of what is allowed.");
      return option.schema ? check(option.schema, value, root, path) : [];
    }
    case "list":
      return Array.isArray(value) ? checkList(schema, shape.items, value, root, path) : slip("This must be a list.");
    case "enum":
      return shape.values.includes(value) || isFromOutside(value) ? [] : slip(`One of: ${shape.values.join(", ")}.`);
    case "constant":
      return value === shape.value ? [] : slip(`This must be ${JSON.stringify(shape.value)}.`);
    case "boolean":
      return typeof value === "boolean" ? [] : slip("This must be yes or no.");
    case "number":
      return checkNumber(schema, shape.isInteger, value).flatMap(slip);
    case "text":
    case "secret":
      return checkText(schema, value).flatMap(slip);
    case "json":
      return [];
  }
}

function checkSection(
  properties: readonly { key: string; schema: JsonSchema; isRequired: boolean }[],
  value: Readonly<Record<string, unknown>>,
  root: JsonSchema,
  path: Path,
): Slip[] {
  return properties.flatMap(({ key, schema, isRequired }) => {
    const inner = value[key];
    const at = [...path, key];
    if (inner === undefined) return isRequired ? [{ path: at, message: "This is needed." }] : [];
    return check(schema, inner, root, at);
  });
}

function checkRecord(
  { names, values }: { names: JsonSchema | undefined; values: JsonSchema },
  value: Readonly<Record<string, unknown>>,
  root: JsonSchema,
  path: Path,
): Slip[] {
  return Object.entries(value).flatMap(([name, inner]) => {
    const at = [...path, name];
    const wrong = checkName(names, name);
    return wrong === undefined ? check(values, inner, root, at) : [{ path: at, message: wrong }];
  });
}

/** Undefined: the name can be had. */
export function checkName(names: JsonSchema | undefined, name: string): string | undefined {
  if (name === "") return "A name is needed.";
  if (!names) return undefined;
  const [wrong] = checkText(names, name);
  return wrong === undefined ? undefined : `The name does not fit. ${wrong}`;
}

function checkList(
  { minItems, maxItems }: JsonSchema,
  items: JsonSchema,
  value: readonly unknown[],
  root: JsonSchema,
  path: Path,
): Slip[] {
  const slips = value.flatMap((item, i) => check(items, item, root, [...path, String(i)]));
  if (minItems !== undefined && value.length < minItems)
    slips.unshift({ path, message: `At least ${minItems} entries.` });
  if (maxItems !== undefined && value.length > maxItems)
    slips.unshift({ path, message: `At most ${maxItems} entries.` });
  return slips;
}

function checkNumber(schema: JsonSchema, isInteger: boolean, value: unknown): string[] {
  if (typeof value !== "number" || !Number.isFinite(value))
    return [`This must be a ${isInteger ? "whole " : ""}number.`];
  if (isInteger && !Number.isInteger(value)) return ["This must be a whole number."];
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if (minimum !== undefined && value < minimum) return [`At least ${minimum}.`];
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) return [`More than ${exclusiveMinimum}.`];
  if (maximum !== undefined && value > maximum) return [`At most ${maximum}.`];
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) return [`Less than ${exclusiveMaximum}.`];
  return [];
}

function checkText(schema: JsonSchema, value: unknown): string[] {
  if (typeof value !== "string") return ["This must be text."];
  if (isFromOutside(value)) return [];
  const { minLength, maxLength, pattern, format } = schema;
  if (minLength !== undefined && value.length < minLength)
    return [minLength === 1 ? "This cannot be empty." : `At least ${minLength} characters.`];
  if (maxLength !== undefined && value.length > maxLength) return [`At most ${maxLength} characters.`];
  if (pattern !== undefined && !matches(pattern, value)) return [`This must look like ${pattern}`];
  if (format === "uri" && !URL.canParse(value)) return ["This must be an address, such as https://example.org/v1."];
  return [];
}

/** A pattern that this browser cannot read refuses nothing: the gateway checks it again. */
function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, "u").test(value);
  } catch {
    return true;
  }
}

/** `${NAME}`: the environment has the value. */
function isFromOutside(value: unknown): boolean {
  return typeof value === "string" && /\$\{\w+\}/.test(value);
}
