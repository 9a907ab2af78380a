/** "What was said about …": searches the channel's log and repeats the lines with sender and time. */
import { answers } from "./answers.ts";
import type { Conversation } from "./conversation.ts";
import { pickIntent } from "./intents.ts";
import { outcomeOf, type Plan, say, useTool } from "./planning.ts";
import { formatLocal } from "./times.ts";
import { contentWords, escapePattern, pickRelated } from "./words.ts";

/** Lines in one answer; the newest. */
const maxLines = 15;
const longestText = 300;

interface Said {
  who: string;
  at: string;
  text: string;
}

export function planSaid(topic: string, conversation: Conversation): Plan {
  const what = "look through the chat's log";
  const { channelFolder } = conversation;
  if (channelFolder === undefined) return say(answers.noLog);
  const [step] = conversation.steps;
  const outcome = step === undefined ? undefined : outcomeOf(step);
  if (outcome === undefined) {
    const pattern = contentWords(topic).map(escapePattern).join("|");
    const path = `${channelFolder.replace(/\/$/, "")}/log.jsonl`;
    return useTool(conversation, ["grep"], { pattern, path, ignoreCase: true }, what);
  }
  if (outcome.type === "interrupted") return say(answers.interrupted(what));
  if (outcome.type === "failed") return say(answers.failed(what, outcome.text));
  const lines = outcome.text.split("\n").map(parseLogLine);
  const said = lines.filter((line) => line !== undefined).filter(({ text }) => pickIntent(text).type !== "said");
  const related = pickRelated(said, topic, ({ text }) => text);
  if (related.length === 0) return say(answers.notSaid(topic));
  const zone = conversation.now?.zone ?? "UTC";
  const shown = related.slice(-maxLines).map((line) => formatSaid(line, zone));
  return say(answers.said(topic, shown, related.length - shown.length));
}

/** The tool puts file and line number in front and may cut a long line, so that it is no JSON any more. Bots do not count. */
function parseLogLine(line: string): Said | undefined {
  const json = line.slice(line.indexOf("{"));
  const field = (name: string) => {
    const value = new RegExp(`"${name}":("(?:[^"\\\\]|\\\\.)*"?)`).exec(json)?.[1];
    return value === undefined ? undefined : unquote(value);
  };
  const who = field("displayName") ?? field("username");
  const at = field("ts");
  const text = field("text");
  if (!line.includes("{") || who === undefined || at === undefined || !text || /"isBot":true/.test(json))
    return undefined;
  return { who, at, text };
}

function unquote(value: string): string {
  try {
    return JSON.parse(value.length > 1 && value.endsWith('"') ? value : `${value.replace(/\\[^"]?$/, "")}"`) as string;
  } catch {
    return value.slice(1);
  }
}

function formatSaid({ who, at, text }: Said, zone: string): string {
  const ms = Date.parse(at);
  const oneLine = text.replaceAll(/\s+/g, " ").trim();
  const cut = oneLine.length > longestText ? `${oneLine.slice(0, longestText)}…` : oneLine;
  return `${Number.isNaN(ms) ? at : formatLocal(ms, zone)}, ${who}: ${cut}`;
}
