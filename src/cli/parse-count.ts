/** An option that is a whole number, as commander's argument parser. */
import { InvalidArgumentError } from "commander";

export function parseCount(given: string): number {
  const count = Number(given);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new InvalidArgumentError("Expected a whole number above 0.");
}
