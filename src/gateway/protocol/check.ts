/** Is this what the schema says? And if not, why, in words that name the place. The same check on both ends of a connection. */
import type { TSchema } from "typebox";
import { Check, Errors } from "typebox/schema";

export type Checked = { type: "ok" } | { type: "invalid"; problems: string[] };

const mostProblems = 5;

export function check(schema: TSchema, value: unknown): Checked {
  if (Check(schema, value)) return { type: "ok" };
  const [, found] = Errors(schema, value);
  // A key that nobody knows is told twice, and only so many errors are found: with many such keys there is nothing else.
  const telling = found.filter(({ keyword }) => keyword !== "boolean");
  const problems = new Set((telling.length > 0 ? telling : found).map(describe));
  return { type: "invalid", problems: [...problems].slice(0, mostProblems) };
}

function describe({
  keyword,
  instancePath,
  message,
  params,
}: {
  keyword: string;
  instancePath: string;
  message: string;
  params: object;
}): string {
  const at = instancePath === "" ? "it" : instancePath.slice(1).replaceAll("/", ".");
  const names = Object.values(params).flatMap((value) => (Array.isArray(value) ? value.map(String) : []));
  const detail = names.length > 0 && names.length <= 12 ? ` (${names.join(", ")})` : "";
  return `${at} ${keyword === "boolean" ? "is not known" : message}${detail}`.slice(0, 300);
}
