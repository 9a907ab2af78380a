/** `mom gateway call <method> [params]` → a call that the schema allows, or what is wrong with it. */
import { randomUUID } from "node:crypto";
import JSON5 from "json5";
import { errorText, UsageError } from "../../base/errors.ts";
import { pickNearest } from "../../base/nearest.ts";
import { check, isMethodName, type MethodName, methodSpecs, type Params } from "../../gateway/protocol/index.ts";

export interface ParsedCall {
  method: MethodName;
  params: Params<MethodName>;
}

/** A key that makes the call count once is made where it needs one. Throws `UNKNOWN_METHOD` and `BAD_PARAMS`. */
export function parseCall(method: string, text: string | undefined): ParsedCall {
  if (!isMethodName(method)) {
    const nearest = pickNearest(method, Object.keys(methodSpecs));
    throw new UsageError("UNKNOWN_METHOD", `The gateway has no method "${method}".`, {
      hint: nearest === undefined ? "`mom gateway schema` lists them." : `Did you mean "${nearest}"?`,
    });
  }
  const { params: schema, summary } = methodSpecs[method];
  const given = text === undefined ? {} : parseObject(text);
  const needsKey = "idempotencyKey" in schema.properties && !("idempotencyKey" in given);
  const params: object = needsKey ? { ...given, idempotencyKey: randomUUID() } : given;
  const checked = check(schema, params);
  // The schema has just been held against it.
  if (checked.type === "ok") return { method, params: params as Params<MethodName> };
  throw new UsageError("BAD_PARAMS", `${method} (${summary}) does not take this: ${checked.problems.join("; ")}`, {
    hint: `It takes: ${Object.keys(schema.properties).join(", ") || "nothing"}. \`mom gateway schema\` says more.`,
  });
}

function parseObject(text: string): object {
  let value: unknown;
  try {
    value = JSON5.parse(text);
  } catch (error) {
    throw notAnObject(errorText(error));
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw notAnObject("it is something else");
}

const notAnObject = (why: string) =>
  new UsageError("BAD_PARAMS", `The parameters are not one JSON5 object: ${why}`, {
    hint: `For example: mom gateway call chat.history '{ limit: 5 }'`,
  });
