/**
 * A conversation as a screen shows it: what people said, mom's answers, each tool call together with what came of it, and
 * what the house put on record. Built of transcript entries, oldest first.
 */
import type { TranscriptEntry } from "../../contracts/transcript.ts";
import type { ChatItem, ToolUse } from "../protocol/index.ts";
import { joinParts, messageOf, modelOf, momentOf, partsOf, textIn, toText } from "./read-entry.ts";
import { readSaid } from "./read-said.ts";
import { isRecord, shortenRecord, shortenText, shortenValue } from "./shorten.ts";

export interface ItemFacts {
  /** A turn runs: the last calls without a result may still give one. */
  isRunning: boolean;
  /** Calls that wait for a person's word. */
  waitingCalls: ReadonlySet<string>;
}

type ToolItem = ChatItem & { tool: ToolUse };

/** Base64; a larger picture is left out. */
const largestImage = 512 * 1024;
const imageTypes: ReadonlySet<unknown> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

export function buildItems(entries: readonly TranscriptEntry[], facts: ItemFacts): ChatItem[] {
  const items: ChatItem[] = [];
  const open = new Map<string, ToolItem>();
  let lastAnswer: readonly ChatItem[] = [];
  for (const entry of entries) {
    const message = messageOf(entry);
    const role = message?.["role"];
    if (message && role === "toolResult") {
      const item = open.get(toText(message["toolCallId"]));
      if (!item) items.push(toOrphan(entry, message));
      else Object.assign(item.tool, readOutcome(message));
      open.delete(toText(message["toolCallId"]));
      continue;
    }
    const added = message ? toMessageItems(entry, message) : toNotes(entry);
    for (const item of added) if (isToolItem(item)) open.set(item.tool.callId, item);
    if (role === "assistant") lastAnswer = added;
    items.push(...added);
  }
  for (const item of open.values()) {
    if (facts.waitingCalls.has(item.tool.callId)) item.tool.state = "waiting";
    else if (facts.isRunning && lastAnswer.includes(item)) item.tool.state = "running";
  }
  return items;
}

const isToolItem = (item: ChatItem): item is ToolItem => item.tool !== undefined;

function toMessageItems(entry: TranscriptEntry, message: Record<string, unknown>): ChatItem[] {
  if (message["role"] === "user") return toSaidItems(entry, message);
  return message["role"] === "assistant" ? toAnswerItems(entry, message) : [];
}

function toSaidItems(entry: TranscriptEntry, message: Record<string, unknown>): ChatItem[] {
  const texts = partsOf(message).flatMap((part) => (part["type"] === "text" ? [toText(part["text"])] : []));
  return readSaid(texts.join("\n")).map(({ who, text, files }, n) => ({
    id: idOf(entry, n),
    at: momentOf(entry),
    role: "user",
    ...(who !== undefined && { sender: who }),
    text: shortenText(text),
    ...(files.length > 0 && { attachments: files }),
  }));
}

function toAnswerItems(entry: TranscriptEntry, message: Record<string, unknown>): ChatItem[] {
  const at = momentOf(entry);
  const model = modelOf(message);
  const text = joinParts(message, "text");
  const thinking = joinParts(message, "thinking");
  const error = toText(message["errorMessage"]);
  const calls = partsOf(message).filter((part) => part["type"] === "toolCall");
  const answer: ChatItem = {
    id: idOf(entry, 0),
    at,
    role: "assistant",
    ...(text !== "" && { text: shortenText(text) }),
    ...(thinking !== "" && { thinking: shortenText(thinking) }),
    ...(error !== "" && { error: shortenText(error) }),
    ...(model !== undefined && { model }),
  };
  const isEmpty = text === "" && thinking === "" && error === "";
  return [
    ...(isEmpty ? [] : [answer]),
    ...calls.map((call, n): ToolItem => ({ id: idOf(entry, n + 1), at, role: "tool", tool: toToolUse(call) })),
  ];
}

/** Cut off, as far as is known yet. */
function toToolUse(call: Record<string, unknown>): ToolUse {
  const args = isRecord(call["arguments"]) ? shortenRecord(call["arguments"]) : {};
  return { callId: toText(call["id"]), name: toText(call["name"]), args, state: "interrupted" };
}

/** A result whose call is beyond what was read. */
function toOrphan(entry: TranscriptEntry, message: Record<string, unknown>): ToolItem {
  const call = { callId: toText(message["toolCallId"]), name: toText(message["toolName"]), args: {} };
  return { id: idOf(entry, 0), at: momentOf(entry), role: "tool", tool: { ...call, ...readOutcome(message) } };
}

function readOutcome(message: Record<string, unknown>): Pick<ToolUse, "state" | "text" | "details" | "images"> {
  const { details } = message as { details?: unknown };
  const wasInterrupted = isRecord(details) && details["interrupted"] === true;
  const images = partsOf(message).flatMap(toImage);
  return {
    state: wasInterrupted ? "interrupted" : message["isError"] === true ? "failed" : "done",
    text: shortenText(joinParts(message, "text")),
    ...(details !== undefined && details !== null && { details: shortenValue(details) }),
    ...(images.length > 0 && { images }),
  };
}

function toImage(part: Record<string, unknown>): { data: string; mimeType: string }[] {
  const { type, data, mimeType } = part as { type?: unknown; data?: unknown; mimeType?: unknown };
  if (type !== "image" || typeof data !== "string" || data.length > largestImage) return [];
  return typeof mimeType === "string" && imageTypes.has(mimeType) ? [{ data, mimeType }] : [];
}

function toNotes(entry: TranscriptEntry): ChatItem[] {
  const text = describeNote(entry);
  if (text === undefined) return [];
  return [{ id: idOf(entry, 0), at: momentOf(entry), role: "note", text: shortenText(text) }];
}

function describeNote(entry: TranscriptEntry): string | undefined {
  switch (entry.type) {
    case "compaction":
      return `Summary of what came before:\n\n${textIn(entry, "summary")}`;
    case "branch_summary":
      return `Summary of a branch that was left:\n\n${textIn(entry, "summary")}`;
    case "model_change":
      return `Model: ${textIn(entry, "provider")}/${textIn(entry, "modelId")}`;
    case "thinking_level_change":
      return `Thinking: ${textIn(entry, "thinkingLevel")}`;
    case "session_info":
      return textIn(entry, "name") === "" ? "The name was taken away" : `Name: ${textIn(entry, "name")}`;
    case "custom_message":
      return entry.display === true ? textIn(entry, "content") : undefined;
    default:
      // Edits for the model, labels and records of the house say nothing to a reader.
      return undefined;
  }
}

const idOf = ({ id }: TranscriptEntry, n: number) => (n === 0 ? id : `${id}.${n}`);
