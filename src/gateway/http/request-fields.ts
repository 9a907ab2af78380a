/** Reading a request that anybody may have written: every field is looked at before it is used, and a wrong one is named. */
import { badRequest } from "./openai-error.ts";

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function parseBody(body: Buffer): Fields {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.toString("utf8"));
  } catch {
    throw badRequest(undefined, "The body of the request is not valid JSON.");
  }
  return readFields(parsed, "body");
}

export function readFields(value: unknown, param: string): Fields {
  if (isFields(value)) return value;
  throw badRequest(param, `${param} must be an object.`, "invalid_type");
}

export function readList(value: unknown, param: string, maxItems: number): readonly unknown[] {
  if (!Array.isArray(value)) throw badRequest(param, `${param} must be a list.`, "invalid_type");
  if (value.length <= maxItems) return value;
  throw badRequest(param, `${param} has more than ${maxItems} items.`, "array_above_max_length");
}

export function readText(value: unknown, param: string): string {
  if (typeof value === "string") return value;
  throw badRequest(param, `${param} must be a string.`, "invalid_type");
}

/** `null` counts as absent, as it does at OpenAI's. */
export function readOptionalText(fields: Fields, key: string): string | undefined {
  const value = fields[key] ?? undefined;
  return value === undefined ? undefined : readText(value, key);
}

export function readFlag(fields: Fields, key: string, otherwise: boolean): boolean {
  const value = fields[key] ?? otherwise;
  if (typeof value === "boolean") return value;
  throw badRequest(key, `${key} must be true or false.`, "invalid_type");
}

/** A field that asks for something which mom does not do; `means` says what she does instead or why not. */
export function refuse(isAsked: boolean, param: string, means: string): void {
  if (isAsked) throw badRequest(param, means, "unsupported_parameter");
}
