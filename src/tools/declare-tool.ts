/** A tool as models are told of it, with every request: without what only the gate needs to know. */
import type { ToolDeclaration } from "../contracts/model.ts";
import type { Tool } from "../contracts/tool.ts";

/** What is no parameter is refused at the gate; saying so in every schema costs words and changes nothing. */
export function declareTool({ name, description, parameters }: Tool): ToolDeclaration {
  return { name, description, parameters: JSON.parse(JSON.stringify(parameters, leaveOut)) };
}

const leaveOut = (key: string, value: unknown) =>
  key === "additionalProperties" && value === false ? undefined : value;
