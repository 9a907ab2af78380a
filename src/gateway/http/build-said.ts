/**
 * A request's messages as the one message that mom is told. A conversation that is kept remembers what was said, so it is
 * told the news only; one that is not is told everything at once.
 */
import type { ApiFile, ApiMessage } from "./api-message.ts";
import { badRequest } from "./openai-error.ts";

export interface Said {
  text: string;
  /** Those of the last message first: of many pictures a model is shown the first ones. */
  files: ApiFile[];
}

const longestText = 1_000_000;
const mostFiles = 32;

/** `isKept`: the session has the earlier messages. `withInstructions`: they are to be said (again). */
export function buildSaid(
  messages: readonly ApiMessage[],
  { isKept, withInstructions, param }: { isKept: boolean; withInstructions: boolean; param: string },
): Said {
  const { earlier, news } = splitAtAnswer(messages);
  const now = news.map(formatNews).join("\n\n").trim();
  const files = [news, isKept ? [] : earlier.toReversed()].flat().flatMap(listFiles);
  if (now === "" && files.length === 0) {
    throw badRequest(param, "There is nothing to answer: the last message must be one of the user's.", "invalid_value");
  }
  const history = isKept ? [] : earlier;
  const instructions = withInstructions ? instructionsOf(messages) : "";
  const text = joinSections(instructions, history, now);
  if (text.length > longestText) {
    throw badRequest(param, `More than ${longestText} characters were said at once.`, "string_above_max_length");
  }
  if (files.length > mostFiles) throw badRequest(param, `More than ${mostFiles} files came along.`, "invalid_value");
  return { text, files };
}

export const instructionsOf = (messages: readonly ApiMessage[]): string =>
  messages
    .filter(({ role }) => role === "instructions")
    .map(textOf)
    .join("\n\n")
    .trim();

/** What is a command for mom stays one: nothing may stand before it. */
export function isCommand(messages: readonly ApiMessage[]): boolean {
  const { news } = splitAtAnswer(messages);
  return news.length === 1 && news.every((message) => textOf(message).trimStart().startsWith("/"));
}

function splitAtAnswer(messages: readonly ApiMessage[]): { earlier: ApiMessage[]; news: ApiMessage[] } {
  const spoken = messages.filter(({ role }) => role !== "instructions");
  const cut = spoken.findLastIndex(({ role }) => role === "assistant") + 1;
  return { earlier: spoken.slice(0, cut), news: spoken.slice(cut) };
}

function joinSections(instructions: string, history: readonly ApiMessage[], now: string): string {
  if (instructions === "" && history.length === 0) return now;
  const sections = [
    ...(instructions === "" ? [] : [`Instructions for this conversation:\n${instructions}`]),
    ...(history.length === 0 ? [] : [`The conversation so far:\n\n${history.map(formatEarlier).join("\n\n")}`]),
    `Answer this now:\n${now}`,
  ];
  return sections.join("\n\n");
}

const speakers = { user: "User", assistant: "You", tool: "Tool", instructions: "Instructions" } as const;

function formatEarlier(message: ApiMessage): string {
  const files = listFiles(message).map(({ filename }) => `(file: ${filename})`);
  return `${speakers[message.role]}: ${[textOf(message), ...files].join("\n")}`;
}

const formatNews = (message: ApiMessage) =>
  message.role === "tool" ? `Result of a tool:\n${textOf(message)}` : textOf(message);

const textOf = ({ parts }: ApiMessage) => parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
const listFiles = ({ parts }: ApiMessage) => parts.flatMap((part) => (part.type === "file" ? [part.file] : []));
