/**
 * A summary without a model: what was asked, which tools ran on what, which files were touched, what was answered last.
 * For models that cannot be asked, and the last resort when one fails. The same messages always give the same text.
 */
import type { ModelMessage, ToolCall } from "../../contracts/model.ts";
import { pickPath, pickTarget, textOf } from "./describe-message.ts";
import { fitLine, fitText } from "./shorten-text.ts";
import { stripHeading } from "./summary-text.ts";

const defaultMaxCharacters = 6000;
const maxLineCharacters = 200;
const maxTargetsPerTool = 6;
/** Shares of the whole; together under 1, the rest is for headings. */
const shares = { before: 0.3, asked: 0.25, tools: 0.12, files: 0.12, answer: 0.15 };

/** At most `maxCharacters`; `previousSummary` is carried on. */
export function buildMechanicalSummary(
  messages: readonly ModelMessage[],
  previousSummary?: string,
  maxCharacters: number = defaultMaxCharacters,
): string {
  const before = stripHeading(previousSummary ?? "").trim();
  if (messages.length === 0) return fitText(before, maxCharacters);
  const room = (share: number) => Math.floor(maxCharacters * share);
  const calls = messages.flatMap(callsOf);
  const sections: [heading: string, text: string][] = [
    ["Before that", fitText(before, room(shares.before))],
    ["What was asked", fitList(listRequests(messages), room(shares.asked))],
    ["Tools that ran", fitList(listTools(calls), room(shares.tools))],
    ["Files touched", fitList(listFiles(calls), room(shares.files))],
    ["Last answer", fitText(pickLastAnswer(messages), room(shares.answer))],
  ];
  const parts = sections.filter(([, text]) => text !== "").map(([heading, text]) => `## ${heading}\n${text}`);
  return fitText(parts.join("\n\n"), maxCharacters);
}

function callsOf(message: ModelMessage): ToolCall[] {
  if (message.role !== "assistant") return [];
  return message.content.filter((block) => block.type === "toolCall");
}

function listRequests(messages: readonly ModelMessage[]): string[] {
  return messages
    .filter((message) => message.role === "user")
    .map((message) => pickRequestLine(textOf(message)))
    .filter((line) => line !== "");
}

/** `[name]: text` lines: what was overheard comes first, what is asked last. Other texts say it in their first line. */
function pickRequestLine(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return fitLine(lines.findLast((line) => /^\[[^\]]+\]: /.test(line)) ?? lines[0] ?? "", maxLineCharacters);
}

function listTools(calls: readonly ToolCall[]): string[] {
  const tools = Map.groupBy(calls, (call) => call.name);
  return [...tools].map(([name, ofTool]) => {
    const targets = [...new Set(ofTool.flatMap((call) => pickTarget(call) ?? []))].slice(-maxTargetsPerTool);
    return fitLine(
      `${name} ×${ofTool.length}${targets.length > 0 ? `: ${targets.join("; ")}` : ""}`,
      maxLineCharacters * 2,
    );
  });
}

function listFiles(calls: readonly ToolCall[]): string[] {
  const files = Map.groupBy(calls, pickPath);
  return [...files].flatMap(([path, ofFile]) => {
    const tools = [...new Set(ofFile.map((call) => call.name))].join(", ");
    return path === undefined ? [] : [`${fitLine(path, maxLineCharacters)} (${fitLine(tools, maxLineCharacters)})`];
  });
}

function pickLastAnswer(messages: readonly ModelMessage[]): string {
  const answers = messages.filter((message) => message.role === "assistant").map((message) => textOf(message).trim());
  return answers.findLast((text) => text !== "") ?? "";
}

/** The first line (where it began) and as many of the last as fit. */
function fitList(lines: readonly string[], maxCharacters: number): string {
  const [first, ...rest] = lines.map((line) => `- ${line}`);
  if (first === undefined) return "";
  const kept: string[] = [];
  // Room for the line that says how many are gone.
  let room = maxCharacters - first.length - 24;
  for (const line of rest.toReversed()) {
    room -= line.length + 1;
    if (room < 0) break;
    kept.unshift(line);
  }
  const gone = rest.length - kept.length;
  return fitText([first, ...(gone > 0 ? [`- … ${gone} more`] : []), ...kept].join("\n"), maxCharacters);
}
