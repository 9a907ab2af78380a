/**
 * The entries on a session's path as messages for the model, the same that coding-agent readers make of the file: the
 * latest compaction stands for what it summarised, context edits hide or replace, records of the house say nothing.
 * Entries may have been written by other programs or by hand: what makes no sense is passed over, never thrown on.
 */
import type { EntryId } from "../../contracts/ids.ts";
import type { EntryScope, TranscriptEntry } from "../../contracts/transcript.ts";
import { type ContextCache, createContextCache } from "./context-cache.ts";
import type { ContextItem } from "./context-item.ts";
import { isRecord, parseAnswerBlocks, parseMessage, parseParts, toUserMessage } from "./parse-message.ts";

type Entry = Record<string, unknown> & { id: EntryId };

/** `entries`: oldest first, from wherever the store begins them; the latest compaction is looked for among them. */
export function buildItems(
  entries: readonly TranscriptEntry[],
  cache: ContextCache = createContextCache(),
): ContextItem[] {
  const chosen = pickEntries(entries);
  const edits = new Map<string, Entry>();
  for (const entry of chosen) {
    const { type, targetId } = entry;
    if (type === "context_edit" && typeof targetId === "string" && isEdit(entry)) edits.set(targetId, entry);
  }
  const items: ContextItem[] = [];
  for (const entry of chosen) {
    const item = toItem(entry, cache);
    const edit = item && edits.get(item.id);
    const shown = item && edit ? applyEdit(entry, item, edit, cache) : item;
    if (shown) items.push(shown);
  }
  return items;
}

/** The latest compaction, what it keeps of the entries before it, and everything after it. */
function pickEntries(entries: readonly unknown[]): Entry[] {
  const path = entries.filter(isEntry);
  const at = path.findLastIndex(({ type }) => type === "compaction");
  const compaction = path[at];
  if (!compaction) return path;
  const before = path.slice(0, at);
  const firstKept = before.findIndex(({ id }) => id === compaction["firstKeptEntryId"]);
  const kept = firstKept === -1 ? [] : before.slice(firstKept).filter(({ type }) => type !== "compaction");
  return [compaction, ...kept, ...path.slice(at + 1)];
}

function isEntry(value: unknown): value is Entry {
  return isRecord(value) && typeof value["id"] === "string";
}

function toItem(entry: Entry, cache: ContextCache): ContextItem | null {
  const known = cache.items.get(entry);
  if (known !== undefined) return known;
  const message = toMessage(entry);
  const scope = message && parseScope(entry["scope"]);
  const item: ContextItem | null = message
    ? { id: entry.id, message, ...(scope && { scope }), ...(entry["type"] === "compaction" && { isSummary: true }) }
    : null;
  cache.items.set(entry, item);
  return item;
}

function toMessage(entry: Entry): ContextItem["message"] | undefined {
  const { type, summary, content } = entry;
  const writtenAt = typeof entry["timestamp"] === "string" ? Date.parse(entry["timestamp"]) || 0 : 0;
  if (type === "message") return parseMessage(entry["message"], writtenAt);
  if (type === "custom_message") return toUserMessage(content, writtenAt);
  if (type === "compaction") {
    const text = typeof summary === "string" && summary.trim() ? summary : "(the summary is missing)";
    return toUserMessage(`(summary of the conversation before this point)\n\n${text}`, writtenAt);
  }
  if (type === "branch_summary" && typeof summary === "string" && summary.trim()) {
    return toUserMessage(`(summary of a branch that was left)\n\n${summary}`, writtenAt);
  }
  return undefined;
}

function parseScope(value: unknown): EntryScope | undefined {
  if (!isRecord(value)) return undefined;
  const { kind, name, reload, pinned } = value;
  if (kind !== "skill" && kind !== "tool_result" && kind !== "memory") return undefined;
  if (typeof name !== "string" || typeof reload !== "string") return undefined;
  return { kind, name, reload, ...(pinned === true && { pinned }) };
}

function isEdit({ replacement }: Entry): boolean {
  if (replacement === null) return true;
  return isRecord(replacement) && (typeof replacement["content"] === "string" || Array.isArray(replacement["content"]));
}

function applyEdit(entry: Entry, item: ContextItem, edit: Entry, cache: ContextCache): ContextItem | undefined {
  const known = cache.edited.get(edit);
  if (known?.from === item) return known.item;
  const message = editMessage(entry, item, edit["replacement"]);
  const edited: ContextItem | undefined =
    message === item.message ? item : message && { ...item, message, isEdited: true };
  cache.edited.set(edit, { from: item, item: edited });
  return edited;
}

function editMessage(entry: Entry, { message }: ContextItem, replacement: unknown): ContextItem["message"] | undefined {
  if (!isRecord(replacement)) {
    // Its call stays, and a call without a result is refused by every provider.
    return message.role === "toolResult" ? { ...message, content: parseParts("(no longer shown)") } : undefined;
  }
  if (entry["type"] !== "message" && entry["type"] !== "custom_message") return message;
  const { content } = replacement;
  if (message.role === "assistant") return { ...message, content: parseAnswerBlocks(content) };
  if (message.role === "toolResult") return { ...message, content: parseParts(content) };
  return toUserMessage(content, message.timestamp);
}
