/** The tools of one decision, and which of them an entry means: looked up once per entry, however many lists it stands in. */
import { type NamedTool, nameTool, type PolicyTool, parseEntry } from "./tool-names.ts";
import { matchesWildcard } from "./wildcard.ts";

export interface Roster {
  /** In the order given. */
  readonly tools: readonly NamedTool[];
  /** The tools that a policy's entry means. */
  meaning(entry: string): readonly NamedTool[];
}

export function buildRoster(given: readonly PolicyTool[]): Roster {
  const tools = given.map(nameTool);
  const byName = new Map<string, NamedTool[]>();
  const byGroup = new Map<string, NamedTool[]>();
  for (const tool of tools) {
    add(byName, tool.key, tool);
    for (const group of tool.groups) add(byGroup, group, tool);
  }
  const find = (text: string): readonly NamedTool[] => {
    const entry = parseEntry(text);
    if (entry.type === "name") return byName.get(entry.name) ?? [];
    if (entry.type === "group") return byGroup.get(entry.group) ?? [];
    return tools.filter(({ key }) => matchesWildcard(key, entry.pattern));
  };
  const known = new Map<string, readonly NamedTool[]>();
  return {
    tools,
    meaning(entry) {
      const found = known.get(entry) ?? find(entry);
      known.set(entry, found);
      return found;
    },
  };
}

function add(to: Map<string, NamedTool[]>, key: string, tool: NamedTool): void {
  const list = to.get(key);
  if (list) list.push(tool);
  else to.set(key, [tool]);
}
