/**
 * A transcript as a document for people: who said what when, tool calls and results, what the house put on record. First
 * the present branch, then the ones that were left. Formats (`format-markdown`, `format-html`) only write it down.
 */

import { formatMoment } from "../../base/format-values.ts";
import type { Transcripts } from "../../contracts/store.ts";
import type { TranscriptEntry } from "../../contracts/transcript.ts";
import { isRecord, readSaid, readText, roleOf } from "./read-said.ts";
import { walkPath } from "./walk-path.ts";

export type WholeTranscript = NonNullable<Awaited<ReturnType<Transcripts["whole"]>>>;

export interface Document {
  title: string;
  facts: [name: string, value: string][];
  parts: Part[];
}

export interface Part {
  /** `said` and `answer` are the conversation; the others can be folded away. */
  kind: "said" | "answer" | "thinking" | "call" | "result" | "note" | "branch";
  head: string;
  text: string;
}

export function buildDocument({ header, entries, leaf }: WholeTranscript, label: string | undefined): Document {
  const path = walkPath(entries, leaf);
  const onPath = new Set(path);
  const left = entries.filter((entry) => !onPath.has(entry));
  return {
    title: label ?? "Conversation",
    facts: [
      ["session", header.sessionKey],
      ["id", header.id],
      ["begun", formatMoment(Date.parse(header.timestamp))],
      ["entries", String(entries.length)],
    ],
    parts: [...path.flatMap(toParts), ...toBranches(left)],
  };
}

/** Each run of entries that follow one another is a branch, or a piece of one. */
function toBranches(left: readonly TranscriptEntry[]): Part[] {
  const parts: Part[] = [];
  let previous: TranscriptEntry | undefined;
  for (const entry of left) {
    const added = toParts(entry);
    if (added.length > 0 && (!previous || entry.parentId !== previous.id)) {
      parts.push({ kind: "branch", head: "A branch that was left", text: "" });
    }
    parts.push(...added);
    previous = entry;
  }
  return parts;
}

function toParts(entry: TranscriptEntry): Part[] {
  const when = formatMoment(Date.parse(entry.timestamp));
  const note = (head: string, text: string): Part[] => [
    { kind: "note", head: `${head} · ${when}`, text: toText(text) },
  ];
  switch (entry.type) {
    case "message":
      return toMessageParts(entry, when);
    case "custom_message":
      return note(`Added for the model: ${toText(entry.customType)}`, entry.content);
    case "compaction":
      return note("Summary of what came before", entry.summary);
    case "branch_summary":
      return note("Summary of a branch that was left", entry.summary);
    case "model_change":
      return note(`Model: ${entry.provider}/${entry.modelId}`, "");
    case "thinking_level_change":
      return note(`Thinking: ${entry.thinkingLevel}`, "");
    case "session_info":
      return note(`Name: ${toText(entry.name)}`, "");
    default:
      // Labels, edits and records of the house say nothing to a reader.
      return [];
  }
}

function toMessageParts(entry: Extract<TranscriptEntry, { type: "message" }>, when: string): Part[] {
  const message: unknown = entry.message;
  const role = roleOf(entry);
  if (!isRecord(message)) return [];
  if (role === "user") {
    const { who, text, attachments } = readSaid(entry);
    const files = attachments === 0 ? "" : `\n(files: ${attachments})`;
    return [{ kind: "said", head: `${who ?? "user"} · ${when}`, text: `${text}${files}` }];
  }
  if (role === "toolResult") {
    const outcome = message["isError"] === true ? "failed" : "result";
    return [{ kind: "result", head: `${toText(message["toolName"])}: ${outcome}`, text: readText(message) }];
  }
  return role === "assistant" ? toAnswerParts(message, when) : [];
}

function toAnswerParts(message: Record<string, unknown>, when: string): Part[] {
  const head = `mom · ${when} · ${toText(message["provider"])}/${toText(message["model"])}`;
  const blocks: unknown[] = Array.isArray(message["content"]) ? message["content"] : [];
  const parts = blocks.filter(isRecord).flatMap((block): Part[] => {
    if (block["type"] === "text") return [{ kind: "answer", head, text: toText(block["text"]) }];
    if (block["type"] === "thinking") return [{ kind: "thinking", head: "thinking", text: toText(block["thinking"]) }];
    if (block["type"] !== "toolCall") return [];
    return [{ kind: "call", head: toText(block["name"]), text: JSON.stringify(block["arguments"] ?? {}, null, 2) }];
  });
  const failure = message["errorMessage"];
  const shown = parts.filter(({ kind, text }) => kind === "call" || text.trim() !== "");
  return typeof failure === "string" ? [...shown, { kind: "note", head: "The model failed", text: failure }] : shown;
}

const toText = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
