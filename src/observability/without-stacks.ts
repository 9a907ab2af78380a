/** Leaves the stack frames out of the errors in a field, wherever they are nested. */
import type { PlainValue } from "./bound-value.ts";

export function withoutStacks(value: PlainValue): PlainValue {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutStacks);
  const isError = typeof value["message"] === "string";
  const kept = Object.entries(value).filter(([name]) => !(isError && name === "stack"));
  return Object.fromEntries(kept.map(([name, item]) => [name, withoutStacks(item)]));
}
