/** A tool as models are told of it, with every request: without what only the gate needs to know. */
import type { TSchema } from "typebox";
import type { ToolDeclaration } from "../contracts/model.ts";
import type { Tool } from "../contracts/tool.ts";

export type DeclareTool = (tool: Tool) => ToolDeclaration;

/** Schemas are the same objects in every turn, so each is looked through once. */
export function createDeclareTool(): DeclareTool {
  const short = new WeakMap<TSchema, ToolDeclaration["parameters"]>();
  const shorten = (schema: TSchema): ToolDeclaration["parameters"] => {
    const known = short.get(schema);
    if (known) return known;
    const made = JSON.parse(JSON.stringify(schema, leaveOut));
    short.set(schema, made);
    return made;
  };
  return ({ name, description, parameters }) => ({ name, description, parameters: shorten(parameters) });
}

/** What is no parameter is refused at the gate; saying so in every schema costs words and changes nothing. */
const leaveOut = (key: string, value: unknown) =>
  key === "additionalProperties" && value === false ? undefined : value;
