/** Reminders through the `cron` tool: set, list, cancel. */
import { answers } from "./answers.ts";
import type { Conversation } from "./conversation.ts";
import type { Intent } from "./intent.ts";
import { outcomeOf, type Plan, say, useTool } from "./planning.ts";
import { formatLocal, toInstant, type When } from "./times.ts";

type ReminderIntent = Extract<Intent, { type: "remind" | "reminders" | "cancel" }>;

export function planReminder(intent: ReminderIntent, conversation: Conversation): Plan {
  switch (intent.type) {
    case "remind":
      return planAdd(intent, conversation);
    case "reminders":
      return planOne(conversation, { action: "list" }, "list the reminders", (output) =>
        answers.reminders(describeList(output, conversation)),
      );
    case "cancel": {
      const { id } = intent;
      if (id === undefined) return say(answers.cancelWhich);
      return planOne(conversation, { action: "remove", id }, "cancel that reminder", () => answers.cancelled(id));
    }
  }
}

/** After an interruption it looks at the list first, so that nobody is reminded twice. */
function planAdd(intent: Extract<Intent, { type: "remind" }>, conversation: Conversation): Plan {
  const { text, when } = intent;
  if (when === undefined && intent.every === undefined) return say(answers.remindWhen);
  if (text === undefined) return say(answers.remindWhat);
  const due = intent.every === undefined ? when && toDue(when, conversation) : toEvery(intent.every, conversation);
  if (due === undefined) return say(answers.remindWhen);
  if (typeof due === "string") return say(due);
  const what = "set reminders";
  const add = () => useTool(conversation, ["cron"], { action: "add", text, ...due.args }, what);
  const last = conversation.steps.at(-1);
  if (last === undefined) return add();
  const outcome = outcomeOf(last);
  if (outcome.type === "interrupted") return useTool(conversation, ["cron"], { action: "list" }, what);
  if (outcome.type === "failed") return say(answers.failed("set the reminder", outcome.text));
  const isSet =
    last.call.arguments["action"] === "add" || listReminders(outcome.text).some((listed) => isSame(listed.text, text));
  return isSet ? say(answers.willRemind(due.words, text)) : add();
}

function planOne(
  conversation: Conversation,
  args: Record<string, unknown>,
  what: string,
  answer: (output: string) => string,
): Plan {
  const last = conversation.steps.at(-1);
  const outcome = last === undefined ? undefined : outcomeOf(last);
  if (outcome === undefined) return useTool(conversation, ["cron"], args, what);
  if (outcome.type === "interrupted") return say(answers.interrupted(what));
  return say(outcome.type === "ok" ? answer(outcome.text) : answers.failed(what, outcome.text));
}

/** The tool lists `id time text`, a line each; what comes again says how in brackets behind it. */
function listReminders(output: string): { id: string; dueMs: number; text: string; again?: string }[] {
  return output.split("\n").flatMap((line) => {
    const [, id, time, text, again] =
      /^(\S+) (\d{4}-\d\d-\d\dT\S+) (.*?)(?: \[(every [^;\]]*)[^\]]*\])?$/.exec(line.trim()) ?? [];
    if (id === undefined || time === undefined || text === undefined) return [];
    return [{ id, dueMs: Date.parse(time), text, ...(again !== undefined && { again }) }];
  });
}

function describeList(output: string, { now }: Conversation): string[] {
  const zone = now?.zone ?? "UTC";
  return listReminders(output).map(
    ({ id, dueMs, text, again }) => `${again ?? formatLocal(dueMs, zone)}: ${text} (id ${id})`,
  );
}

/** The list is on one line and may be cut; its beginning says enough. */
function isSame(listed: string, text: string): boolean {
  const beginning = (whole: string) => whole.replaceAll(/\s+/g, " ").slice(0, 100);
  return beginning(listed) === beginning(text);
}

/** The tool reads such words itself; in the person's own zone, where one is known. */
function toEvery(every: string, { now }: Conversation): { args: Record<string, unknown>; words: string } {
  // Spans are the same in every zone.
  const isSpan = /^every (?:\d|an? |half|second|minute|hour|two|three|four|five|ten)/.test(every);
  const when = now === undefined || isSpan ? every : `${every} in ${now.zone}`;
  return { args: { when }, words: every };
}

/** The tool's arguments and the words for them, or what to say instead. */
function toDue(when: When, { now }: Conversation): { args: Record<string, unknown>; words: string } | string {
  if (when.type === "in") return { args: { in: when.seconds }, words: `in ${formatSpan(when.seconds)}` };
  if (now === undefined) return answers.noClock;
  const instant = toInstant(when, now);
  if (instant === undefined) return answers.past;
  return { args: { at: new Date(instant).toISOString() }, words: `at ${formatLocal(instant, now.zone)}` };
}

const units = [
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const;

function formatSpan(seconds: number): string {
  let left = seconds;
  const parts: string[] = [];
  for (const [name, size] of units) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0) parts.push(`${count} ${name}${count === 1 ? "" : "s"}`);
  }
  return parts.join(" ") || "0 seconds";
}
