/** Entries that commands put into a transcript, and finding what an interrupted attempt has put there already. */
import { newEntryId } from "../../base/ids.ts";
import type { NewEntry, TurnStep } from "../../contracts/turn.ts";

type Body<Entry> = Entry extends unknown ? Omit<Entry, "id" | "timestamp"> : never;

export function buildEntry(body: Body<NewEntry>, nowMs: number): NewEntry {
  return { id: newEntryId(), timestamp: new Date(nowMs).toISOString(), ...body };
}

export function findRecorded<Type extends NewEntry["type"]>(
  steps: readonly TurnStep[],
  type: Type,
): Extract<NewEntry, { type: Type }> | undefined {
  for (const { entries } of steps) {
    for (const entry of entries) if (isOfType(entry, type)) return entry;
  }
  return undefined;
}

const isOfType = <Type extends NewEntry["type"]>(
  entry: NewEntry,
  type: Type,
): entry is Extract<NewEntry, { type: Type }> => entry.type === type;
