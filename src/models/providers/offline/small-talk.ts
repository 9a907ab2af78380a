/** What surrounds a request, or is one without work in it: address and politeness, greetings, thanks, "who are you?". */
import type { Intent } from "./intent.ts";

const mention = /^(?:<@[^>]+>|@\S+)[,:]?\s+/;

/** The request alone: "hey mom, could you please list the files?" asks to list the files. */
export function stripCourtesy(request: string): string {
  return request
    .replace(mention, "")
    .replace(/^(?:hey|hi|hello|ok|okay)(?:[,!]\s*|\s+(?=mom\b))/i, "")
    .replace(/^mom\b[,:!]?\s*/i, "")
    .replace(/^(?:please|pls)[,\s]+/i, "")
    .replace(/^(?:(?:can|could|would|will) you|i(?:'d| would) like you to|i want you to)\s+(?:please\s+)?/i, "")
    .replace(/[,\s]+(?:please|pls|thanks|thank you)[.!?]*$/i, "")
    .trim();
}

const greeting = [
  "hi|hello|hey|howdy|greetings|good (?:morning|afternoon|evening|day)",
  "how are you(?: doing)?|how's it going|what's up|are you there",
];
const thanks = "thanks|thank you|thx|cheers|great|perfect|well done";
const help = [
  "help(?: me)?|commands|introduce yourself|how do(?:es)? (?:you|this) work",
  "what (?:else )?can (?:you|i) (?:do|ask|say)(?: (?:here|for me))?|what do you do",
  "who are you|what are you|what (?:model|llm) (?:are you|is this|do you use)",
  "are you (?:an? )?(?:ai|bot|human|language model|llm|real)",
];
const time =
  "what time is it|what(?:'s| is) the (?:time|date)|what(?:'s| is) today'?s? ?(?:date)?|what day is (?:it|today)";

const table: readonly (readonly [RegExp, Intent])[] = [
  [new RegExp(`^(?:${greeting.join("|")})(?:,? (?:mom|there|all|everyone|everybody))?$`), { type: "greeting" }],
  [
    new RegExp(
      `^(?:(?:ok|okay|great|cool|nice|perfect)[, ]+)?(?:${thanks})(?:[, ]+(?:mom|a lot|so much|very much|again))?$`,
    ),
    { type: "thanks" },
  ],
  [new RegExp(`^(?:${help.join("|")})$`), { type: "help" }],
  [new RegExp(`^(?:${time})(?: now| today)?$`), { type: "time" }],
];

export function matchSmallTalk(request: string): Intent | undefined {
  const words = request
    .toLowerCase()
    .replace(mention, "")
    .replace(/^(?:hey |hi )?mom[,:!]?\s+(?=\S)/, "")
    .replace(/[.!?,\s]+$/, "");
  if (words === "" && request.includes("?")) return { type: "help" };
  return table.find(([pattern]) => pattern.test(words))?.[1];
}
