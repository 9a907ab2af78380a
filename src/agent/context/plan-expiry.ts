/**
 * Scoped entries leave the context when the task that needed them is over: some turns later a context edit puts a line in
 * their place that says how to have them again. It is an entry like others, so every reader of the file sees the same,
 * and what was sent once stays the same to the byte from then on. The file keeps everything.
 */
import { newEntryId } from "../../base/ids.ts";
import type { EntryScope, TranscriptEntry } from "../../contracts/transcript.ts";
import type { NewEntry } from "../../contracts/turn.ts";
import { buildItems } from "./build-items.ts";
import { toOneLine } from "./clean-text.ts";
import { type ContextCache, createContextCache } from "./context-cache.ts";
import type { ContextItem } from "./context-item.ts";

export const defaultExpiryTurns = 3;

export interface ExpiryOptions {
  /** User turns that have begun since; at least one. Absent: three. */
  afterTurns?: number | undefined;
  nowMs: number;
  cache?: ContextCache;
}

/** `entries`: those of the context, the message that starts the present turn included. */
export function planExpiry(entries: readonly TranscriptEntry[], options: ExpiryOptions): NewEntry[] {
  const { afterTurns = defaultExpiryTurns, nowMs, cache = createContextCache() } = options;
  const items = buildItems(entries, cache);
  if (!items.some(({ scope }) => scope)) return [];
  const enough = Math.max(1, afterTurns);
  const timestamp = new Date(nowMs).toISOString();
  const turns = countTurnsSince(entries, items);
  return items.flatMap((item, n) => {
    const content = (turns[n] ?? 0) >= enough ? pickMarker(item) : undefined;
    if (content === undefined) return [];
    return [{ type: "context_edit", id: newEntryId(), timestamp, targetId: item.id, replacement: { content } }];
  });
}

/** Undefined: the item stays as it is. */
function pickMarker({ scope, message }: ContextItem): string | undefined {
  if (!scope || scope.pinned || message.role === "assistant") return undefined;
  const marker = formatMarker(scope);
  return sizeOf(message.content) > marker.length ? marker : undefined;
}

/** The same for the same scope, always. */
export function formatMarker(scope: EntryScope): string {
  const name = toOneLine(scope.name, 64);
  const what = { skill: `The skill ${name}`, tool_result: `The result of ${name}`, memory: `What ${name} found` };
  return `(${what[scope.kind]} is no longer shown: its task is over. ${toOneLine(scope.reload, 300)})`;
}

function sizeOf(content: string | readonly { type: string; text?: string }[]): number {
  if (typeof content === "string") return content.length;
  return content.reduce((sum, part) => sum + (part.type === "text" ? (part.text?.length ?? 0) : Infinity), 0);
}

/** For each item, how many turns have begun since the one that it belongs to. */
function countTurnsSince(entries: readonly TranscriptEntry[], items: readonly ContextItem[]): number[] {
  const said = new Set(entries.flatMap((entry) => (entry?.type === "message" ? [entry.id] : [])));
  const counts = new Array<number>(items.length).fill(0);
  let turns = 0;
  /** Notes of the house right before a message that starts a turn came with it. */
  let isOpening = false;
  for (let n = items.length - 1; n >= 0; n--) {
    const item = items[n];
    if (!item) continue;
    if (said.has(item.id)) isOpening = false;
    counts[n] = isOpening ? turns - 1 : turns;
    if (!said.has(item.id) || !isTurnStart(items, n, said)) continue;
    isOpening = true;
    turns++;
  }
  return counts;
}

/** A message that was taken into a running turn stands right behind tool results. */
function isTurnStart(items: readonly ContextItem[], at: number, said: ReadonlySet<string>): boolean {
  if (items[at]?.message.role !== "user") return false;
  let before = at - 1;
  while (before >= 0 && !said.has(items[before]?.id ?? "")) before--;
  return items[before]?.message.role !== "toolResult";
}
