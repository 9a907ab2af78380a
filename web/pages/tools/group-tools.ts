/** The tools of a session as the page shows them: filtered, in their groups, counted. */
import type { ToolSummary } from "../../../src/gateway/protocol/index.ts";

export type Shown = "all" | "allowed" | "removed";

export interface ToolGroup {
  name: string;
  tools: ToolSummary[];
  allowed: number;
}

export function groupTools(tools: readonly ToolSummary[], search: string, shown: Shown): ToolGroup[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const groups = new Map<string, ToolGroup>();
  for (const tool of tools) {
    if (shown !== "all" && tool.allowed !== (shown === "allowed")) continue;
    if (!words.every((word) => searchText(tool).includes(word))) continue;
    const group = groups.get(tool.group) ?? { name: tool.group, tools: [], allowed: 0 };
    group.tools.push(tool);
    if (tool.allowed) group.allowed += 1;
    groups.set(tool.group, group);
  }
  for (const group of groups.values()) group.tools.sort((one, other) => one.name.localeCompare(other.name));
  return [...groups.values()].sort((one, other) => one.name.localeCompare(other.name));
}

const searchText = ({ name, group, removedBy }: ToolSummary): string =>
  [name, group, removedBy?.layer ?? "", removedBy?.rule ?? ""].join("\n").toLowerCase();

/** How many tools each layer took away, most first. */
export function countLayers(tools: readonly ToolSummary[]): { layer: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { allowed, removedBy } of tools) {
    if (!allowed && removedBy) counts.set(removedBy.layer, (counts.get(removedBy.layer) ?? 0) + 1);
  }
  return [...counts].map(([layer, count]) => ({ layer, count })).sort((one, other) => other.count - one.count);
}
