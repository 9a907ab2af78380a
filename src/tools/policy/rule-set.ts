/** One place of the config that narrows (profile, allow, deny), and where it stands, so that its removals can name the key. */
import type { ToolRules } from "../config.ts";
import { profiles } from "./built-in-lists.ts";
import type { RemovalList } from "./removals.ts";
import { type PolicyEntry, parseEntry } from "./tool-names.ts";

export interface RuleSet extends ToolRules {
  /** E.g. `tools.byProvider.openai`. */
  path: string;
}

/** The order in which entries are written makes no difference, not even to which one is named. */
export function buildRuleSet(path: string, { profile, allow, deny }: ToolRules): RuleSet {
  return { path, profile, allow, deny: deny.length > 1 ? deny.toSorted(comparePlainness) : deny };
}

/** Deny first: it beats the others. */
export function applyRules({ path, profile, allow, deny }: RuleSet, removals: RemovalList): void {
  removals.deny(deny, (entry) => `denied by "${entry}" in ${path}.deny`);
  if (profile !== undefined && profile !== "full") {
    removals.limit(profiles[profile], `not in "${profile}", which is ${path}.profile`);
  }
  if (allow) removals.limit(allow, `not in ${path}.allow`);
}

const rank: Record<PolicyEntry["type"], number> = { name: 0, group: 1, pattern: 2 };

/** A name says more than a group, and that more than a pattern. */
function comparePlainness(a: string, b: string): number {
  return rank[parseEntry(a).type] - rank[parseEntry(b).type] || (a < b ? -1 : a > b ? 1 : 0);
}

const plainKey = /^[\w$@:+/#-]+$/;

/** A key below a path, as `mom config get` understands it. */
export const joinPath = (path: string, key: string): string =>
  `${path}.${plainKey.test(key) ? key : JSON.stringify(key)}`;
