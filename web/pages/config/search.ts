/** Which fields have to do with what was typed into the search: by key, path, description and allowed values. */
import { describeField, follow, listKeys, pickOption } from "./field.ts";
import { isObject, type JsonSchema } from "./json-schema.ts";
import { formatPath, humanise, isTextWithin, type Path } from "./path.ts";

/** Fields deeper than any that people write. */
const deepest = 12;
const fewMatches = 3;

export interface Matches {
  count: number;
  /** The field itself, one inside it, or one around it was found. */
  isShown(pathText: string): boolean;
  /** It is shown unfolded: something inside it was found or, where little was, it is the find itself. */
  isOpen(pathText: string): boolean;
}

/** Undefined: nothing was typed. */
export function search(root: JsonSchema, value: unknown, query: string): Matches | undefined {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return undefined;
  const found: string[] = [];
  walk(root, value, root, [], (path, text) => {
    if (words.every((word) => text.includes(word))) found.push(formatPath(path));
  });
  // A find within a find adds nothing: the outer one shows it already.
  const outermost = found.filter((path) => !found.some((other) => other !== path && isTextWithin(path, other)));
  const isFew = outermost.length <= fewMatches;
  const isAround = (text: string) => outermost.some((match) => match !== text && isTextWithin(match, text));
  return {
    count: outermost.length,
    isOpen: (text) => isAround(text) || (isFew && outermost.includes(text)),
    isShown: (text) => isAround(text) || outermost.some((match) => isTextWithin(text, match)),
  };
}

function walk(
  schema: JsonSchema,
  value: unknown,
  root: JsonSchema,
  path: Path,
  visit: (path: Path, text: string) => void,
): void {
  if (path.length > deepest) return;
  const { shape, description } = describeField(schema, root);
  const key = path.at(-1);
  if (key !== undefined) visit(path, describe(key, path, description, shape.type === "enum" ? shape.values : []));
  const inner = (name: string, child: JsonSchema) =>
    walk(child, isObject(value) ? value[name] : undefined, root, [...path, name], visit);
  if (shape.type === "section") for (const each of listKeys(shape, value)) inner(each.key, each.schema);
  if (shape.type === "record") for (const name of Object.keys(isObject(value) ? value : {})) inner(name, shape.values);
  if (shape.type === "list" && Array.isArray(value))
    for (const [i, item] of value.entries()) walk(shape.items, item, root, [...path, String(i)], visit);
  const variant = pickVariant(schema, value, root);
  if (variant?.properties) for (const [name, child] of Object.entries(variant.properties)) inner(name, child);
}

/** Of a union or a choice: what the value is. */
function pickVariant(schema: JsonSchema, value: unknown, root: JsonSchema): JsonSchema | undefined {
  const { shape } = describeField(schema, root);
  if (shape.type === "union" && isObject(value))
    return shape.variants.find(({ name }) => name === value[shape.tag])?.schema;
  if (shape.type !== "choice" || value === undefined) return undefined;
  const option = shape.options[pickOption(shape.options, value, root) ?? -1];
  return option?.schema && follow(option.schema, root);
}

function describe(key: string, path: Path, description: string, values: readonly unknown[]): string {
  return [formatPath(path), humanise(key), description, ...values.map(String)].join("\n").toLowerCase();
}
