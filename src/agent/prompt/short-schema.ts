/** A JSON Schema in a few words for the prompt: `{city: string, days?: integer}`. The gate checks arguments against the whole. */
import { toLine } from "./plain-line.ts";

const maxProperties = 12;
const maxNameChars = 40;
const maxChoices = 8;
const maxTypeChars = 120;

export function formatShortSchema(schema: object): string {
  const properties = Object.entries(toRecord("properties" in schema ? schema.properties : undefined));
  const required = "required" in schema && Array.isArray(schema.required) ? schema.required : [];
  const parts = properties
    .slice(0, maxProperties)
    .map(([name, type]) => `${toLine(name, maxNameChars)}${required.includes(name) ? "" : "?"}: ${formatType(type)}`);
  if (properties.length > maxProperties) parts.push("…");
  return `{${parts.join(", ")}}`;
}

function formatType(value: unknown): string {
  const schema = toRecord(value);
  const choices = pickChoices(schema);
  if (choices) return toLine(choices.map((choice) => JSON.stringify(choice)).join(" | "), maxTypeChars);
  if (schema["type"] === "array") return `${formatType(schema["items"])}[]`;
  return typeof schema["type"] === "string" ? toLine(schema["type"], maxNameChars) : "any";
}

/** The values of an `enum`, a `const`, or a union of constants; undefined for anything else, and for too many. */
function pickChoices(schema: Record<string, unknown>): unknown[] | undefined {
  const union = schema["anyOf"] ?? schema["oneOf"];
  let choices: unknown[] | undefined;
  if (Array.isArray(schema["enum"])) choices = schema["enum"];
  else if ("const" in schema) choices = [schema["const"]];
  else if (Array.isArray(union) && union.every((each) => "const" in toRecord(each))) {
    choices = union.map((each) => toRecord(each)["const"]);
  }
  return choices && choices.length > 0 && choices.length <= maxChoices ? choices : undefined;
}

function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
