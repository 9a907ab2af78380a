/** Values as they stand in inputs and in sentences such as "default: 3". */
import { isObject, type JsonSchema } from "./json-schema.ts";

/** Undefined: there is nothing short to say of it. */
export function formatDefault({ default: value }: JsonSchema): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "boolean") return value ? "on" : "off";
  if (value === "") return "empty";
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(String).join(", ");
  return isObject(value) ? undefined : String(value);
}

/** A number, what was typed where it is none (yet), or undefined for nothing. */
export function parseNumber(text: string): number | string | undefined {
  const typed = text.trim();
  if (typed === "") return undefined;
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(typed) ? Number(typed) : typed;
}

/** Undefined: the text is no JSON. */
export function parseJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** What an emptied text field says: the default again, or that it is to be empty where that is a value of its own. */
export function fromText(text: string, schema: JsonSchema, isRequired: boolean): string | undefined {
  if (text !== "" || isRequired) return text;
  const mayBeEmpty = (schema.minLength ?? 0) === 0 && schema.pattern === undefined && schema.format === undefined;
  return mayBeEmpty && typeof schema.default === "string" && schema.default !== "" ? "" : undefined;
}

/** What an entry of a list is called: its name, id or first text. */
export function titleOf(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const named = value["name"] ?? value["id"] ?? Object.values(value).find((child) => typeof child === "string");
  return typeof named === "string" && named !== "" ? named : undefined;
}
