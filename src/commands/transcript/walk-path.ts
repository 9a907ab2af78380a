/** The entries from the root to one entry, oldest first: the branch that it is the tip of. */
import type { EntryId } from "../../contracts/ids.ts";
import type { TranscriptEntry } from "../../contracts/transcript.ts";

/** A parent that is missing, or a ring of parents, ends the path there. */
export function walkPath(entries: readonly TranscriptEntry[], tip: EntryId | null): TranscriptEntry[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const path = new Set<TranscriptEntry>();
  let entry = tip === null ? undefined : byId.get(tip);
  while (entry && !path.has(entry)) {
    path.add(entry);
    entry = entry.parentId === null ? undefined : byId.get(entry.parentId);
  }
  return [...path].reverse();
}
