/** Marks a string of the schema as secret, through zod's metadata. Marked values are redacted wherever mom shows them. */
import { z } from "zod";

/**
 * A string that must never be shown. Checks and a description may follow: `secret().min(1).describe("Bot token.")`.
 * A schema elsewhere says the same with `.meta({ secret: true })`.
 */
export function secret(): z.ZodString {
  return z.string().meta({ secret: true });
}

export function isSecret(schema: z.core.$ZodType): boolean {
  return z.globalRegistry.get(schema)?.["secret"] === true;
}
