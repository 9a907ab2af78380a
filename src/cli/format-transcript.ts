/** A session's transcript as a person reads it: who, when, the text; tool calls and their results in a line each. */

import { formatMoment } from "../base/format-values.ts";
import { toPrintable } from "../base/printable.ts";
import type { ModelMessage } from "../contracts/model.ts";
import type { TranscriptEntry } from "../contracts/transcript.ts";

const longestResult = 200;
/** The agent puts it in front of what is said; here it stands in the heading. */
const messageTime = /^\(\d{4}-\d\d-\d\d \d\d:\d\d\)\n/;

/** Lines, already safe to print. */
export function formatTranscript(entries: readonly TranscriptEntry[]): string[] {
  return entries.flatMap(formatEntry);
}

/** Other programs write transcripts too, with roles, types and shapes of their own; those are passed over. */
function formatEntry(entry: TranscriptEntry): string[] {
  switch (entry.type) {
    case "message":
      return isKnown(entry.message) ? formatMessage(entry.message, formatMoment(Date.parse(entry.timestamp))) : [];
    case "custom_message":
      return [toPrintable(`· ${entry.customType}: ${shorten(toText(entry.content))}`)];
    case "branch_summary":
      return [toPrintable(`· a branch was left here: ${shorten(toText(entry.summary))}`)];
    case "compaction":
      return ["· earlier messages were summarised here"];
    case "model_change":
      return [toPrintable(`· model: ${entry.provider}/${entry.modelId}`)];
    case "thinking_level_change":
      return [toPrintable(`· thinking: ${entry.thinkingLevel}`)];
    case "session_info":
      return [toPrintable(`· name: ${entry.name}`)];
    case "custom":
      return [toPrintable(`· ${entry.customType}`)];
    default:
      // Labels and edits say nothing by themselves.
      return [];
  }
}

function formatMessage(message: ModelMessage, when: string): string[] {
  if (message.role === "toolResult") {
    const { toolName, content, isError } = message;
    const text = content.map((part) => (part.type === "text" ? part.text : "(an image)")).join(" ");
    return [toPrintable(`  ${isError ? "✗" : "←"} ${toolName}: ${shorten(text)}`)];
  }
  if (message.role === "user") {
    const parts = typeof message.content === "string" ? [message.content] : message.content.map(toUserText);
    return ["", `user  ${when}`, ...parts.flatMap((part) => toLines(part.replace(messageTime, "")))];
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

const toText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value ?? ""));

function isKnown(message: ModelMessage | undefined): message is ModelMessage {
  if (message?.role === "user" && typeof message.content === "string") return true;
  return ["user", "assistant", "toolResult"].includes(message?.role ?? "") && Array.isArray(message?.content);
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
