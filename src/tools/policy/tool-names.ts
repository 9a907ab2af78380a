/** Names in policies: aliases, groups and wildcards, resolved against the tools that exist. */
import { pickNearest } from "../../base/nearest.ts";

/** What policy knows of a tool. */
export interface PolicyTool {
  name: string;
  /** Without the `group:` in front. */
  group: string;
}

/** All native tools, whatever their group. */
const nativeGroup = "mom";
const groupPrefix = "group:";
const aliases: ReadonlyMap<string, string> = new Map([["exec", "bash"]]);

/** One spelling per tool: lower case, aliases replaced. */
export function normaliseToolName(name: string): string {
  const plain = name.trim().toLowerCase();
  return aliases.get(plain) ?? plain;
}

/** Does a policy's entry (name, `group:` or pattern) mean this tool? */
export function isMeant(tool: PolicyTool, entry: string): boolean {
  const wanted = normaliseToolName(entry);
  if (wanted.startsWith(groupPrefix)) {
    const group = wanted.slice(groupPrefix.length);
    return group === nativeGroup || group === tool.group;
  }
  return matchesWildcard(tool.name, wanted);
}

/** The first entry that means the tool. */
export const pickMeaning = (tool: PolicyTool, entries: readonly string[]): string | undefined =>
  entries.find((entry) => isMeant(tool, entry));

function matchesWildcard(name: string, pattern: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return name === pattern;
  if (!name.startsWith(first)) return false;
  const last = rest.pop() ?? "";
  let at = first.length;
  for (const piece of rest) {
    const found = name.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}

/** One warning per entry that means no tool, with what was probably meant. */
export function findUnknownNames(entries: readonly string[], tools: readonly PolicyTool[]): string[] {
  const known = [...tools.map((tool) => tool.name), ...aliases.keys()];
  const groups = [...new Set(tools.map((tool) => tool.group)), nativeGroup].map((group) => groupPrefix + group);
  return entries
    .filter((entry) => !tools.some((tool) => isMeant(tool, entry)))
    .map((entry) => {
      const nearest = pickNearest(normaliseToolName(entry), [...known, ...groups]);
      return `"${entry}" means no tool${nearest === undefined ? "" : `; did you mean "${nearest}"?`}`;
    });
}
