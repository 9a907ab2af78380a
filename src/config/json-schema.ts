/** The schema as JSON Schema (2020-12), for `mom config schema`, editors and forms: what may be written, not what comes out. */
import { z } from "zod";
import { isSecret } from "./secret.ts";

export function toJsonSchema(schema: z.ZodType): Record<string, unknown> {
  return z.toJSONSchema(schema, {
    io: "input",
    // A transform has no JSON Schema of its own; its input side has, and what is left over takes anything.
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      delete jsonSchema["secret"];
      if (isSecret(zodSchema)) jsonSchema.writeOnly = true;
    },
  });
}
