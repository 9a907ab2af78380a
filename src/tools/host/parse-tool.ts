/** Takes what a module exports for what it says it is, or tells in one sentence what is wrong with it. */
import type { MomCustomTool } from "./sdk.ts";

export type ParsedTool = { type: "tool"; tool: MomCustomTool } | { type: "bad"; message: string };

const namePattern = /^[a-z][a-z0-9_-]{0,63}$/;
const effects = ["read", "write", "external"];
const marks = ["approve", "outward", "outside"];

export function parseTool(given: unknown): ParsedTool {
  const bad = (message: string): ParsedTool => ({ type: "bad", message });
  if (!isRecord(given)) return bad("The default export is neither a tool nor a factory that gives one.");
  const { name, description, parameters, effect } = given;
  if (typeof name !== "string" || !isCustomToolName(name)) {
    return bad(
      `Its name must be lower-case letters, digits, _ and -, beginning with a letter; it is ${JSON.stringify(name)}.`,
    );
  }
  if (typeof description !== "string" || description.trim() === "") return bad(`"${name}" has no description.`);
  if (!isRecord(parameters) || parameters["type"] !== "object") {
    return bad(`The parameters of "${name}" must be the schema of an object, e.g. Type.Object({ … }).`);
  }
  if (typeof given["execute"] !== "function") return bad(`"${name}" has no execute function.`);
  if (effect !== undefined && !effects.includes(String(effect))) {
    return bad(`The effect of "${name}" must be one of ${effects.join(", ")}.`);
  }
  // What is nearly a mark would be taken for its opposite.
  const odd = marks.find((mark) => given[mark] !== undefined && typeof given[mark] !== "boolean");
  if (odd !== undefined) return bad(`${odd} of "${name}" must be true or false.`);
  for (const hook of ["onStart", "onStop"]) {
    if (given[hook] !== undefined && typeof given[hook] !== "function")
      return bad(`${hook} of "${name}" is no function.`);
  }
  return { type: "tool", tool: given as unknown as MomCustomTool };
}

/** Could a custom tool be called so? */
export const isCustomToolName = (name: string): boolean => namePattern.test(name);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
