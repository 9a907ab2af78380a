/** The words in which plans are written: say something, or call a tool; and how a call that was made has ended. */
import type { ToolDeclaration } from "../../../contracts/model.ts";
import { answers } from "./answers.ts";
import { type Conversation, type Step, textOf } from "./conversation.ts";

export type Plan = { type: "say"; text: string } | { type: "call"; name: string; arguments: Record<string, unknown> };

export type Outcome = { type: "ok" | "failed"; text: string } | { type: "interrupted" };

export const say = (text: string): Plan => ({ type: "say", text });

/**
 * A call of the first of `names` that this chat has, with those arguments that the tool declares. `what` completes the
 * sentence "I may not … here" where it has none of them.
 */
export function useTool(
  conversation: Conversation,
  names: readonly [string, ...string[]],
  args: Record<string, unknown>,
  what: string,
): Plan {
  const tool = names.map((name) => conversation.tools.get(name)).find((found) => found !== undefined);
  if (tool === undefined) return say(answers.mayNot(what, names[0]));
  const fitting = Object.entries(args).filter(([name]) => hasParameter(tool, name));
  return { type: "call", name: tool.name, arguments: Object.fromEntries(fitting) };
}

/** A tool that does not list its parameters takes any. */
export function hasParameter(tool: ToolDeclaration | undefined, name: string): boolean {
  if (tool === undefined || !("properties" in tool.parameters)) return true;
  return Object.hasOwn(Object(tool.parameters.properties), name);
}

/** A call without a result, or with the note that a restart leaves, may or may not have happened. */
export function outcomeOf(step: Step): Outcome {
  if (step.result === undefined) return { type: "interrupted" };
  const text = textOf(step.result.content).trim();
  if (!step.result.isError) return { type: "ok", text };
  const isCutOff = /^\W*interrupted\b|\binterrupted\b[\s\S]*\bmay have run\b/i.test(text);
  return isCutOff ? { type: "interrupted" } : { type: "failed", text: firstWords(text) };
}

/** The tools say in brackets that there is nothing to show: "(no output)", "(the file is empty)". */
export function isNothing(output: string): boolean {
  return /^\((?:no output|[\w ]*\bempty)\)$/i.test(output);
}

/** Characters of an error that are worth repeating in a chat. */
const longestError = 600;

function firstWords(text: string): string {
  if (text === "") return "the tool gave no reason.";
  return text.length > longestError ? `${text.slice(0, longestError)}…` : text;
}
