/** What one layer takes away, with the rule that did it. A tool that is gone stays gone: the first rule is the one named. */
import type { Roster } from "./roster.ts";
import type { NamedTool } from "./tool-names.ts";

export type Removals = ReadonlyMap<NamedTool, string>;

export interface RemovalList {
  readonly removed: Removals;
  /** These go. */
  deny(entries: readonly string[], toRule: (entry: string) => string): void;
  /** All others go. */
  limit(entries: readonly string[], rule: string): void;
}

export function createRemovals(roster: Roster): RemovalList {
  const removed = new Map<NamedTool, string>();
  return {
    removed,
    deny(entries, toRule) {
      for (const entry of entries) {
        for (const tool of roster.meaning(entry)) if (!removed.has(tool)) removed.set(tool, toRule(entry));
      }
    },
    limit(entries, rule) {
      const kept = new Set<NamedTool>();
      for (const entry of entries) for (const tool of roster.meaning(entry)) kept.add(tool);
      if (kept.size === roster.tools.length) return;
      for (const tool of roster.tools) if (!kept.has(tool) && !removed.has(tool)) removed.set(tool, rule);
    },
  };
}
