/** What an entry of a policy means: a tool by name or alias, a group, or a pattern. Used by every layer and by standing orders. */
import { pickNearest } from "../../base/nearest.ts";
import { hostGroup, isOwnGroup, listGroups, listNativeNames, nativeGroup } from "./native-names.ts";
import { matchesWildcard, parseWildcard, type Wildcard } from "./wildcard.ts";

/** Where a tool comes from. Everything but `native` is somebody else's code or name. */
export type ToolOrigin = "native" | "host" | "channel" | "plugin" | "mcp";

/** What policy knows of a tool. */
export interface PolicyTool {
  name: string;
  /** Without the `group:` in front. A tool that is not native is in `host` whatever it says, and in none of mom's own groups. */
  group: string;
  /** Absent: native. */
  origin?: ToolOrigin;
  /** Does it touch files, programs or devices of this machine? Absent: told from the group, in doubt yes. */
  needsMachine?: boolean;
}

/** A tool as entries are held against it: made once per tool, then asked many times. */
export interface NamedTool {
  tool: PolicyTool;
  key: string;
  groups: readonly string[];
}

/** One entry of a list. `text` is as written. */
export type PolicyEntry = { text: string } & (
  | { type: "name"; name: string }
  | { type: "group"; group: string }
  | { type: "pattern"; pattern: Wildcard }
);

const groupPrefix = "group:";
const aliases: ReadonlyMap<string, string> = new Map([
  ["exec", "bash"],
  ["apply-patch", "apply_patch"],
  ["web-fetch", "web_fetch"],
  ["web-search", "web_search"],
]);

/** Words that people try first. They mean nothing, but the warning can say what does. */
const otherWords: ReadonlyMap<string, string> = new Map([
  ["shell", "bash"],
  ["terminal", "bash"],
  ["fetch", "web_fetch"],
  ["search", "web_search"],
  ["glob", "find"],
  ["image_generate", "image"],
]);

export const isNative = ({ origin = "native" }: PolicyTool): boolean => origin === "native";

/** One spelling per tool: lower case, aliases replaced. */
export function normaliseToolName(name: string): string {
  const plain = name.trim().toLowerCase();
  return aliases.get(plain) ?? plain;
}

/** Do both mean the same tool? */
export const isToolName = (name: string, given: string): boolean =>
  normaliseToolName(name) === normaliseToolName(given);

export function nameTool(tool: PolicyTool): NamedTool {
  // Mom's own names are written in the one spelling there is.
  if (isNative(tool)) return { tool, key: tool.name, groups: [tool.group, nativeGroup] };
  const key = normaliseToolName(tool.name);
  return { tool, key, groups: isOwnGroup(tool.group) ? [hostGroup] : [hostGroup, tool.group] };
}

export function parseEntry(text: string): PolicyEntry {
  const wanted = normaliseToolName(text);
  if (wanted.startsWith(groupPrefix)) return { text, type: "group", group: wanted.slice(groupPrefix.length) };
  if (wanted.includes("*")) return { text, type: "pattern", pattern: parseWildcard(wanted) };
  return { text, type: "name", name: wanted };
}

export function means(entry: PolicyEntry, { key, groups }: NamedTool): boolean {
  switch (entry.type) {
    case "name":
      return entry.name === key;
    case "group":
      return groups.includes(entry.group);
    case "pattern":
      return matchesWildcard(key, entry.pattern);
  }
}

/** Does a policy's entry (name, `group:` or pattern) mean this tool? */
export const isMeant = (tool: PolicyTool, entry: string): boolean => means(parseEntry(entry), nameTool(tool));

/** The first entry that means the tool. */
export function pickMeaning(tool: PolicyTool, entries: readonly string[]): string | undefined {
  const named = nameTool(tool);
  return entries.find((entry) => means(parseEntry(entry), named));
}

/**
 * One warning per entry that means nothing, neither a tool there is nor one of mom's that is yet to come. `hasUnlisted`: there
 * are custom tools whose names are not known.
 */
export function findUnknownNames(
  entries: readonly string[],
  tools: readonly PolicyTool[],
  hasUnlisted = false,
): string[] {
  const names = new Set([...tools.map(({ name }) => normaliseToolName(name)), ...listNativeNames()]);
  const groups = new Set([...tools.flatMap((tool) => nameTool(tool).groups), ...listGroups()]);
  const isKnown = (text: string) => {
    const entry = parseEntry(text);
    if (entry.type === "group") return groups.has(entry.group);
    if (entry.type === "name") return names.has(entry.name);
    return [...names].some((name) => matchesWildcard(name, entry.pattern));
  };
  const known = [...names, ...aliases.keys(), ...[...groups].map((group) => groupPrefix + group)];
  return entries
    .filter((entry) => !isKnown(entry))
    .map((entry) => {
      const wanted = normaliseToolName(entry);
      const nearest = otherWords.get(wanted) ?? pickNearest(wanted, known);
      const unless = hasUnlisted && parseEntry(entry).type !== "group" ? ", unless a custom tool is called so" : "";
      return `"${entry}" means no tool${unless}${nearest === undefined ? "" : `; did you mean "${nearest}"?`}`;
    });
}
