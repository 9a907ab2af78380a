/**
 * From an intent and what has been done for it so far to the next message: a tool call or an answer. Holds no state: after
 * a restart the same conversation leads to the same place.
 */
import { answers } from "./answers.ts";
import type { Conversation } from "./conversation.ts";
import type { Intent } from "./intent.ts";
import { pickIntent } from "./intents.ts";
import { planRecall, planRemember } from "./plan-memory.ts";
import { planReminder } from "./plan-reminder.ts";
import { planSaid } from "./plan-said.ts";
import { hasParameter, isNothing, outcomeOf, type Plan, say, useTool } from "./planning.ts";
import { formatLocal } from "./times.ts";
import { escapePattern } from "./words.ts";

/** The whole next message. What was asked earlier in the turn is only reported on: it may have been stopped meanwhile. */
export function buildNext(conversation: Conversation): Plan {
  const next = buildPlan(pickIntent(conversation.request), conversation);
  if (next.type === "call") return next;
  const reports = conversation.unanswered.map((asked) => {
    const plan = buildPlan(pickIntent(asked.request), { ...conversation, ...asked });
    return plan.type === "say" ? plan.text : answers.notReached(asked.request);
  });
  return say([...reports, next.text].join("\n\n"));
}

/** More calls than any request needs: something goes round in circles. */
const maxSteps = 6;

function buildPlan(intent: Intent, conversation: Conversation): Plan {
  if (conversation.steps.length >= maxSteps) return say(answers.stuck);
  switch (intent.type) {
    case "due":
      return say(answers.due(intent.text));
    case "greeting":
    case "thanks":
    case "help":
    case "spawn":
    case "unknown":
      return say(answers[intent.type]);
    case "time":
      return planTime(conversation);
    case "remember":
      return planRemember(intent.fact, conversation);
    case "recall":
      return planRecall(intent.topic, conversation);
    case "remind":
    case "reminders":
    case "cancel":
      return planReminder(intent, conversation);
    case "said":
      return planSaid(intent.topic, conversation);
    default:
      return planOnce(intent, conversation);
  }
}

function planTime({ now }: Conversation): Plan {
  return say(now === undefined ? answers.unknown : answers.time(formatLocal(now.ms, now.zone), now.zone));
}

type SimpleIntent = Extract<Intent, { type: "run" | "list" | "read" | "search" | "find" }>;

interface OneCall {
  names: readonly [string, ...string[]];
  args: Record<string, unknown>;
  /** Completes "I could not …". */
  what: string;
  answer(output: string): string;
}

/** Requests that are one call and its result. */
function planOnce(intent: SimpleIntent, conversation: Conversation): Plan {
  const once = toOneCall(intent, conversation);
  if (once === undefined) return say(answers.runWhat);
  const [step] = conversation.steps;
  if (step === undefined) return useTool(conversation, once.names, once.args, once.what);
  const outcome = outcomeOf(step);
  if (outcome.type === "interrupted") return say(answers.interrupted(once.what));
  if (outcome.type === "ok") return say(once.answer(isNothing(outcome.text) ? "" : outcome.text));
  return say(intent.type === "run" ? answers.ranBadly(outcome.text) : answers.failed(once.what, outcome.text));
}

function toOneCall(intent: SimpleIntent, conversation: Conversation): OneCall | undefined {
  switch (intent.type) {
    case "run": {
      const { command } = intent;
      if (command === undefined) return undefined;
      return { names: ["bash", "exec"], args: { command }, what: "run that command", answer: answers.ran };
    }
    case "list": {
      const { path } = intent;
      const answer = (output: string) => answers.listed(path, output);
      return { names: ["ls"], args: { path }, what: `list ${path === "." ? "the files" : path}`, answer };
    }
    case "read": {
      const { path } = intent;
      return { names: ["read"], args: { path }, what: `read ${path}`, answer: (output) => answers.read(path, output) };
    }
    case "search": {
      // People search for what they type: "a.b" means a dot, whether or not the tool has a switch for that.
      const takesLiteral = hasParameter(conversation.tools.get("grep"), "literal");
      const pattern = takesLiteral ? intent.pattern : escapePattern(intent.pattern);
      const place = intent.path === undefined ? {} : { path: intent.path };
      return {
        names: ["grep"],
        args: { pattern, ...place, literal: true, ignoreCase: true },
        what: "search the files",
        answer: (output) => describeMatches(intent.pattern, output),
      };
    }
    case "find": {
      const { type: _, ...args } = intent;
      return {
        names: ["find"],
        args,
        what: "look for files",
        answer: (output) => describeMatches(intent.pattern, output),
      };
    }
  }
}

function describeMatches(pattern: string, output: string): string {
  return /^$|^(?:no|nothing)\b.*\bmatch/i.test(output) ? answers.noMatch(pattern) : answers.matched(pattern, output);
}
