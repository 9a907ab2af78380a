/** What the offline model says. Plain about what it is, short, and always with a way on. */

const setModel =
  "For a real model, add a key with `mom auth add anthropic` (or openai, google …); I use it from the next message on.";

const abilities = [
  "run a command: run `date`",
  "files: list the files here · read notes.md · search for TODO · find files named *.md",
  "memory: remember that the door code is 4711 · what is the door code?",
  "reminders: remind me in 10 minutes to stretch · list reminders",
  "the chat so far: what was said about the party?",
];
const abilityList = abilities.map((line) => `- ${line}`).join("\n");

export const answers = {
  greeting: "Hello! I am mom's built-in offline helper. Say “help” to see what I can do.",
  thanks: "You're welcome.",
  help: `I am mom's built-in offline helper: a small set of rules, not a language model. I understand plain requests like these:\n${abilityList}\n\n${setModel}`,
  unknown: `I did not understand that. I am mom's built-in offline helper, not a language model, and know only requests like these:\n${abilityList}\n\n${setModel}`,
  spawn: "I cannot start tasks of their own yet. I can do one thing at a time, here in this chat.",
  runWhat: "Which command exactly? Write it in backticks, like: run `ls -la`",
  remindWhen:
    "When? For example: remind me in 10 minutes to stretch, or: remind me tomorrow at 9 to call Bob, or: remind me every weekday at 9 to write the report.",
  remindWhat: "What shall I remind you of? For example: remind me in 10 minutes to stretch.",
  noClock: "I do not know what time it is here, so I can only count from now: remind me in 10 minutes to stretch.",
  past: "That time is already over. Give me a later one.",
  cancelWhich: "Which one? Say “list reminders” to see their ids, then: cancel reminder <id>",
  noLog: "I do not know where this chat's log is, so I cannot look up what was said.",
  stuck: "I tried several times and got no further, so I stop here.",
  due: (text: string) => `Reminder: ${text}`,
  mayNot: (what: string, tool: string) => `I may not ${what} here: the tool \`${tool}\` is not available in this chat.`,
  failed: (what: string, error: string) => `I could not ${what}: ${error}`,
  notReached: (request: string) => `I did not finish “${toShort(request)}”. Ask me again if it still matters.`,
  interrupted: (what: string) =>
    `mom was interrupted while trying to ${what}, so it may or may not have happened. Ask me again if it should be done (again).`,
  time: (local: string, zone: string) => `It is ${local} (${zone}).`,
  ran: (output: string) => (output === "" ? "Done; the command printed nothing." : toCodeBlock(output)),
  ranBadly: (output: string) => `The command failed:\n${toCodeBlock(output)}`,
  listed: (path: string, output: string) =>
    output === "" ? `${namePath(path)} is empty.` : `${namePath(path)} contains:\n${toCodeBlock(output)}`,
  read: (path: string, output: string) => (output === "" ? `${path} is empty.` : `${path}:\n${toCodeBlock(output)}`),
  matched: (pattern: string, output: string) => `Matches for “${pattern}”:\n${toCodeBlock(output)}`,
  noMatch: (pattern: string) => `Nothing found for “${pattern}”.`,
  remembered: (fact: string) => `I will remember: ${fact}`,
  knewAlready: (fact: string) => `I already remember that: ${fact}`,
  recalled: (facts: readonly string[]) =>
    facts.length === 1
      ? `From my memory: ${facts[0]}`
      : `From my memory:\n${facts.map((fact) => `- ${fact}`).join("\n")}`,
  forgot: (topic: string) =>
    `I have nothing in my memory about “${topic}”. I am an offline helper, not a language model: I only know what I was told to remember. ${setModel}`,
  noMemory: "I do not remember anything yet. Tell me something: remember that the door code is 4711",
  willRemind: (when: string, text: string) => `I will remind you ${when}: ${text}`,
  reminders: (lines: readonly string[]) =>
    lines.length === 0 ? "There are no reminders in this chat." : lines.map((line) => `- ${line}`).join("\n"),
  cancelled: (id: string) => `The reminder ${id} is cancelled.`,
  said: (topic: string, lines: readonly string[], more: number) =>
    `About “${topic}” I found:\n${lines.map((line) => `- ${line}`).join("\n")}${more > 0 ? `\n(and ${more} more)` : ""}`,
  notSaid: (topic: string) => `I found nothing about “${topic}” in this chat.`,
};

/** Characters of tool output that are repeated to people. */
const longestOutput = 3000;

function toCodeBlock(text: string): string {
  const shown =
    text.length > longestOutput
      ? `${text.slice(0, longestOutput)}\n… (${text.length - longestOutput} more characters)`
      : text;
  // One backtick more than the text itself has in a row, so that it cannot close the block.
  const longestRun = Math.max(2, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longestRun + 1);
  return `${fence}\n${shown}\n${fence}`;
}

function toShort(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

function namePath(path: string): string {
  return path === "." ? "This folder" : path;
}
