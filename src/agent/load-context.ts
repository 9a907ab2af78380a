/**
 * What the model is sent of a session's past: the last entries of its transcript, repaired so that no entry can poison
 * the session, and bounded, so that a turn costs what it touches and not how much history there is. What falls out of
 * the window stays in the file.
 */
import type { EntryId, SessionKey } from "../contracts/ids.ts";
import type { AssistantMessage, ModelMessage, ToolResultMessage } from "../contracts/model.ts";
import type { Transcripts } from "../contracts/store.ts";
import type { TranscriptEntry } from "../contracts/transcript.ts";

/** The window grows to `most` entries and is then cut back to `least`, so that its start moves seldom (prompt caches). */
export interface ContextWindow {
  most: number;
  least: number;
  /** Tokens of the model's window that history may fill. */
  maxTokens: number;
}

export interface ContextLoader {
  /** `own`: entries of the running turn so far; they are in whatever the window says. */
  load(key: SessionKey, window: ContextWindow, own: readonly EntryId[]): Promise<ModelMessage[]>;
}

const mostSessions = 512;
const charactersPerToken = 4;
const estimateMargin = 1.2;

export function createContextLoader({ transcripts }: { transcripts: Transcripts }): ContextLoader {
  /** Where each session's window starts at present. Losing it costs one cache miss, nothing else. */
  const starts = new Map<SessionKey, EntryId>();
  const sizeOf = createSizeCache();
  return {
    async load(key, window, own) {
      const { entries } = await transcripts.tail(key, Math.max(window.most, own.length + window.least));
      const kept = pickWindow(entries, window, starts.get(key), own[0], sizeOf);
      const first = kept[0];
      starts.delete(key);
      if (first) starts.set(key, first.id);
      const oldest = starts.keys().next().value;
      if (starts.size > mostSessions && oldest !== undefined) starts.delete(oldest);
      return repair(kept.flatMap((entry) => (entry.message ? [entry.message] : [])));
    },
  };
}

/** Characters of an entry as JSON. Entries do not change and are handed out again every turn. */
function createSizeCache(): (entry: TranscriptEntry) => number {
  const sizes = new WeakMap<TranscriptEntry, number>();
  return (entry) => {
    const size = sizes.get(entry) ?? JSON.stringify(entry.message ?? "", asSized).length;
    sizes.set(entry, size);
    return size;
  };
}

/** What a picture costs has nothing to do with its bytes: some 1,500 tokens. */
const imageSize = "x".repeat(1500 * charactersPerToken);
const asSized = (key: string, value: unknown) =>
  key === "data" && typeof value === "string" && value.length > imageSize.length ? imageSize : value;

export function pickWindow(
  entries: TranscriptEntry[],
  window: ContextWindow,
  startId: EntryId | undefined,
  keepFrom: EntryId | undefined,
  sizeOf: (entry: TranscriptEntry) => number = createSizeCache(),
): TranscriptEntry[] {
  const knownStart = entries.findIndex((entry) => entry.id === startId);
  let start = Math.max(0, knownStart);
  if (entries.length - start >= window.most - 1 || (knownStart === -1 && entries.length > window.least)) {
    start = Math.max(0, entries.length - window.least);
  }
  const sizes = entries.map(sizeOf);
  const budget = (window.maxTokens * charactersPerToken) / estimateMargin;
  let total = sizes.slice(start).reduce((sum, size) => sum + size, 0);
  // Too big for the model: cut to half the budget at once, so that the start does not move with every turn.
  if (total > budget) while (start < entries.length - 1 && total > budget / 2) total -= sizes[start++] ?? 0;
  const mustKeep = keepFrom === undefined ? -1 : entries.findIndex((entry) => entry.id === keepFrom);
  if (mustKeep !== -1) start = Math.min(start, mustKeep);
  while (start < entries.length && entries[start]?.message?.role !== "user") start++;
  if (mustKeep !== -1) start = Math.min(start, mustKeep);
  return entries.slice(start);
}

/**
 * Every tool call has exactly one result, right behind it and in the order of the calls; results without a call and
 * answers that failed are left out.
 */
export function repair(messages: readonly ModelMessage[]): ModelMessage[] {
  const repaired: ModelMessage[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === "toolResult") continue;
    if (message.role === "assistant" && (message.stopReason === "error" || message.stopReason === "aborted")) continue;
    repaired.push(message);
    if (message.role === "assistant") repaired.push(...resultsFor(message, messages.slice(index + 1)));
  }
  return repaired;
}

/** Only results up to the next answer count: a provider may use the same ids again and again. */
function resultsFor(message: AssistantMessage, following: readonly ModelMessage[]): ToolResultMessage[] {
  const end = following.findIndex(({ role }) => role === "assistant");
  const near = end === -1 ? following : following.slice(0, end);
  return message.content.flatMap((block) => {
    if (block.type !== "toolCall") return [];
    const result = near.find((each) => each.role === "toolResult" && each.toolCallId === block.id);
    return [result?.role === "toolResult" ? result : buildMissingResult(block.id, block.name, message.timestamp)];
  });
}

function buildMissingResult(toolCallId: string, toolName: string, timestamp: number): ToolResultMessage {
  const text = "No result: the turn was stopped before this call ended. It may have run.";
  return { role: "toolResult", toolCallId, toolName, content: [{ type: "text", text }], isError: true, timestamp };
}
