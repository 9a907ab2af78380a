/**
 * Reads a conversation as the offline model sees it. The request is the last user message and nothing else: text out of
 * files, tools or earlier messages is material, never an order.
 */
import type { ModelMessage, ToolCall, ToolDeclaration, ToolResultMessage } from "../../../contracts/model.ts";

export interface Step {
  call: ToolCall;
  /** Absent when the turn was cut off before it came. */
  result?: ToolResultMessage;
}

export interface Asked {
  /** What is asked for, without the sender's name. */
  request: string;
  /** Tool calls made for it so far, in order. */
  steps: Step[];
}

export interface Conversation extends Asked {
  /** What came before the request in the same turn and has no answer yet, oldest first: someone spoke in between. */
  unanswered: Asked[];
  tools: ReadonlyMap<string, ToolDeclaration>;
  /** From the system prompt; undefined where it does not say. */
  channelFolder: string | undefined;
  now: { ms: number; zone: string } | undefined;
}

export function readConversation(input: {
  system: string;
  messages: readonly ModelMessage[];
  tools: readonly ToolDeclaration[];
}): Conversation {
  const open = input.messages.slice(input.messages.findLastIndex(isAnswer) + 1);
  const asked = readAsked(open);
  const current = asked.pop() ?? { request: "", steps: [] };
  return {
    ...current,
    unanswered: asked,
    tools: new Map(input.tools.map((tool) => [tool.name, tool])),
    channelFolder: /^Channel folder: (.+?)(?: \(.*)?$/m.exec(input.system)?.[1]?.trim(),
    now: readNow(input.system, input.messages),
  };
}

export function textOf(content: string | readonly { type: string }[]): string {
  if (typeof content === "string") return content;
  return content.map((part) => ("text" in part && typeof part.text === "string" ? part.text : "")).join("\n");
}

/** Nothing is left to do for what stands before it: answered, failed or stopped. */
function isAnswer(message: ModelMessage): boolean {
  if (message.role !== "assistant") return false;
  const isBroken = message.stopReason === "error" || message.stopReason === "aborted";
  return isBroken || !message.content.some((block) => block.type === "toolCall");
}

function readAsked(messages: readonly ModelMessage[]): Asked[] {
  const starts = messages.flatMap((message, index) => (message.role === "user" ? [index] : []));
  return starts.map((start, n) => {
    const message = messages[start];
    const text = message?.role === "user" ? textOf(message.content) : "";
    return { request: pickRequest(text), steps: readSteps(messages.slice(start + 1, starts[n + 1])) };
  });
}

/** Files that came along stand behind the text; their names are material too, and may hold line breaks. */
const attachment = /\n?<attachment path="[^"]*" name="[^"]*"\/>/g;

/** When it was said, in front of the whole. */
const saidAt = /^\((\d{4}-\d\d-\d\d) (\d\d:\d\d)\)\n/;

/** Starts a line that someone said, in messages that fold several into one. */
const speaker = /^\[[^\]\n]{1,80}\]: /gm;

/** The last thing that was said: from the last speaker's name on, else the last paragraph. A code block stays whole. */
function pickRequest(content: string): string {
  const text = content.replace(saidAt, "").replaceAll(attachment, "");
  const last = [...text.matchAll(speaker)].at(-1);
  const said = (last === undefined ? text : text.slice(last.index + last[0].length)).trim();
  if (last !== undefined || said.includes("```")) return said;
  return (
    said
      .split(/\n\s*\n/)
      .at(-1)
      ?.trim() ?? ""
  );
}

function readSteps(messages: readonly ModelMessage[]): Step[] {
  const steps: Step[] = [];
  for (const message of messages) {
    if (message.role === "assistant") {
      for (const block of message.content) if (block.type === "toolCall") steps.push({ call: block });
    }
    if (message.role === "toolResult") {
      const step = steps.find(({ call, result }) => call.id === message.toolCallId && result === undefined);
      if (step !== undefined) step.result = message;
    }
  }
  return steps;
}

/** The minute stands in front of the message, the day's offset at the end of the prompt. */
function readNow(system: string, messages: readonly ModelMessage[]): { ms: number; zone: string } | undefined {
  const said = messages.findLast((message) => message.role === "user");
  const minute = said === undefined ? undefined : saidAt.exec(textOf(said.content));
  const offset = [...system.matchAll(/, UTC([+-]\d\d:\d\d)/g)].at(-1)?.[1] ?? "+00:00";
  const zone = /^Time zone: (\S+?)\.?(?:\s|$)/m.exec(system)?.[1] ?? "UTC";
  const ms = Date.parse(`${minute?.[1]}T${minute?.[2]}${offset}`);
  return Number.isNaN(ms) ? undefined : { ms, zone };
}
