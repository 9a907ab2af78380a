/** Remember and recall: one line per fact in MEMORY.md, written and read with the ordinary file tools. */
import { answers } from "./answers.ts";
import type { Conversation } from "./conversation.ts";
import { isNothing, type Outcome, outcomeOf, type Plan, say, useTool } from "./planning.ts";
import { pickRelated } from "./words.ts";

const path = "MEMORY.md";
/** Facts in one answer. */
const maxFacts = 10;

/** Reads, then writes with the new line at the end. After an interruption it looks again before it writes again. */
export function planRemember(fact: string, conversation: Conversation): Plan {
  const what = "write to my memory";
  const last = conversation.steps.at(-1);
  if (!conversation.tools.has("write")) return say(answers.mayNot(what, "write"));
  const outcome = last === undefined ? undefined : outcomeOf(last);
  if (last === undefined || outcome === undefined || outcome.type === "interrupted") {
    return useTool(conversation, ["read"], { path }, what);
  }
  if (last.call.name !== "read") {
    return say(outcome.type === "ok" ? answers.remembered(fact) : answers.failed(what, outcome.text));
  }
  const text = readableText(outcome);
  // A file that is there but cannot be read must not be written over.
  if (text === undefined) return say(answers.failed(what, outcome.text));
  if (listFacts(text).some((known) => known.toLowerCase() === fact.toLowerCase())) {
    const wroteIt = conversation.steps.some(({ call }) => call.name !== "read");
    return say(wroteIt ? answers.remembered(fact) : answers.knewAlready(fact));
  }
  return planAppend(fact, text, conversation, what);
}

export function planRecall(topic: string, conversation: Conversation): Plan {
  const what = "look into my memory";
  const last = conversation.steps.at(-1);
  const outcome = last === undefined ? undefined : outcomeOf(last);
  if (outcome === undefined || outcome.type === "interrupted") return useTool(conversation, ["read"], { path }, what);
  const text = readableText(outcome);
  if (text === undefined) return say(answers.failed(what, outcome.text));
  const facts = listFacts(text);
  const related = topic === "" ? facts : pickRelated(facts, topic, (fact) => fact);
  if (related.length > 0) return say(answers.recalled(related.slice(-maxFacts)));
  return say(topic === "" ? answers.noMemory : answers.forgot(topic));
}

/** A text that was shown only in part is not written back: the line goes in behind the first one instead. */
function planAppend(fact: string, text: string, conversation: Conversation, what: string): Plan {
  const line = `- ${fact}`;
  if (!isCut(text)) {
    const content = text === "" ? `# Memory\n\n${line}\n` : `${text.trimEnd()}\n${line}\n`;
    return useTool(conversation, ["write"], { path, content }, what);
  }
  const [first = ""] = text.split("\n");
  return useTool(conversation, ["edit"], { path, oldText: `${first}\n`, newText: `${first}\n${line}\n` }, what);
}

/** Undefined: not to be read. A file that does not exist yet is an empty one. */
function readableText(outcome: Exclude<Outcome, { type: "interrupted" }>): string | undefined {
  if (outcome.type === "ok") return isNothing(outcome.text) ? "" : outcome.text;
  return /no such file|not found|does not exist|ENOENT/i.test(outcome.text) ? "" : undefined;
}

/** The read tool ends what it had to cut with a notice in brackets. */
function isCut(text: string): boolean {
  return /\n\[[^\n]+\]$/.test(text.trimEnd());
}

function listFacts(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#") && !/^\[[^\]]+\]$/.test(line))
    .map((line) => line.replace(/^[-*]\s+/, ""));
}
