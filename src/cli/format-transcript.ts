/** A session's transcript as a person reads it: who, when, the text; tool calls and their results in a line each. */
import { toPrintable } from "../base/printable.ts";
import type { ModelMessage } from "../contracts/model.ts";
import type { TranscriptEntry } from "../contracts/transcript.ts";
import { formatMoment } from "./format-values.ts";

const longestResult = 200;

/** Lines, already safe to print. */
export function formatTranscript(entries: readonly TranscriptEntry[]): string[] {
  return entries.flatMap(formatEntry);
}

function formatEntry({ type, message, timestamp, provider, modelId, customType }: TranscriptEntry): string[] {
  if (message) return formatMessage(message, formatMoment(Date.parse(timestamp)));
  if (type === "model_change") return [toPrintable(`· model: ${provider}/${modelId}`)];
  if (type === "compaction") return ["· earlier messages were summarised here"];
  return customType === undefined ? [] : [toPrintable(`· ${customType}`)];
}

function formatMessage(message: ModelMessage, when: string): string[] {
  if (message.role === "toolResult") {
    const { toolName, content, isError } = message;
    const text = content.map((part) => (part.type === "text" ? part.text : "(an image)")).join(" ");
    return [toPrintable(`  ${isError ? "✗" : "←"} ${toolName}: ${shorten(text)}`)];
  }
  if (message.role === "user") {
    const parts = typeof message.content === "string" ? [message.content] : message.content.map(toUserText);
    return ["", `user  ${when}`, ...parts.flatMap(toLines)];
  }
  const head = toPrintable(`mom   ${when}  ${message.provider}/${message.model}`);
  const failure = message.errorMessage === undefined ? [] : [toPrintable(`  ✗ ${shorten(message.errorMessage)}`)];
  const body = message.content.flatMap((part) => {
    if (part.type === "text") return toLines(part.text);
    if (part.type === "thinking") return [toPrintable(`  (thinking) ${shorten(part.thinking)}`)];
    return [toPrintable(`  → ${part.name} ${shorten(JSON.stringify(part.arguments))}`)];
  });
  return ["", head, ...body, ...failure];
}

const toUserText = (part: { type: "text"; text: string } | { type: "image" }): string =>
  part.type === "text" ? part.text : "(an image)";

const toLines = (text: string): string[] => (text.trim() === "" ? [] : text.trimEnd().split("\n").map(toPrintable));

/** One line, its beginning only. */
function shorten(text: string): string {
  const line = text.trim().replace(/\s+/g, " ");
  return line.length > longestResult
    ? `${line.slice(0, longestResult).toWellFormed()}… (${line.length} characters)`
    : line;
}
