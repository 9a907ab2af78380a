/** Looks for names in the tool policy that mean nothing: a slip in `deny` would leave open what was meant to be closed. */
import { pickNearest } from "../base/nearest.ts";
import { loadTools } from "./catalog.ts";
import type { AgentToolsConfig, ToolRules, ToolsConfig } from "./config.ts";
import { joinPath } from "./policy/rule-set.ts";
import { findUnknownNames, type PolicyTool } from "./policy/tool-names.ts";

/** What the names are held against, beside the native tools. */
export interface NameSurroundings {
  /** Their own lists are checked too. */
  agents?: Readonly<Record<string, { tools?: AgentToolsConfig | undefined }>>;
  /** For the keys of `byChannel` and `bySender`. Absent: those are not checked. */
  adapters?: Readonly<Record<string, { type: string }>>;
  /** Tools that are not native. */
  tools?: readonly PolicyTool[];
  /** There are custom tools whose names are not known. Absent: no. */
  hasUnlisted?: boolean;
}

type AnyRules = AgentToolsConfig & Partial<Omit<ToolsConfig, keyof AgentToolsConfig>>;

/**
 * One sentence per name, with its path and what was probably meant. `config` is the house's or one agent's; paths begin
 * with `tools`. Called when tools are first used, and by checks of the config.
 */
export async function checkToolNames(config: AnyRules, around: NameSurroundings = {}): Promise<string[]> {
  const { agents = {}, adapters, tools = [], hasUnlisted = false } = around;
  const { nativeTools } = await loadTools();
  const known = [...nativeTools, ...tools];
  const findUnknown = (entries: readonly string[]) => findUnknownNames(entries, known, hasUnlisted);
  const places = [
    ...listPlaces("tools", config),
    ...Object.entries(agents).flatMap(([id, { tools: own }]) =>
      own ? listPlaces(`${joinPath("agents", id)}.tools`, own) : [],
    ),
  ];
  const inLists = places.flatMap(([path, rules]) =>
    (["allow", "deny"] as const).flatMap((key) =>
      findUnknown(rules[key] ?? []).map((warning) => `${path}.${key}: ${warning}`),
    ),
  );
  const toApprove = findUnknown(config.approve ?? []).map((warning) => `tools.approve: ${warning}`);
  return adapters ? [...inLists, ...toApprove, ...checkAdapterKeys(config, adapters)] : [...inLists, ...toApprove];
}

/** Every place that has lists, with its path. */
function listPlaces(path: string, config: AnyRules): [path: string, rules: ToolRules][] {
  const { byProvider, byModel = {}, bySession = {}, byChannel = {}, bySender = {}, sandbox } = config;
  const keyed = Object.entries({ byProvider, byModel, bySession, byChannel, bySender }).flatMap(([kind, byKey]) =>
    Object.entries<ToolRules | undefined>(byKey).flatMap(([key, rules]): [string, ToolRules][] =>
      rules ? [[joinPath(`${path}.${kind}`, key), rules]] : [],
    ),
  );
  return [[path, config], ...keyed, ...(sandbox ? [[`${path}.sandbox`, sandbox] as [string, ToolRules]] : [])];
}

function checkAdapterKeys(
  { byChannel = {}, bySender = {} }: AnyRules,
  adapters: Readonly<Record<string, { type: string }>>,
): string[] {
  const names = new Set([...Object.keys(adapters), ...Object.values(adapters).map(({ type }) => type)]);
  const check = (kind: string, keys: string[], separator: string) =>
    keys.flatMap((key) => {
      const name = key.split(separator, 1)[0] ?? "";
      if (names.has(name)) return [];
      const nearest = pickNearest(name, names);
      const guess = nearest === undefined ? "" : `; did you mean "${nearest}"?`;
      return [`${joinPath(`tools.${kind}`, key)}: there is no adapter or type "${name}"${guess}`];
    });
  return [...check("byChannel", Object.keys(byChannel), "/"), ...check("bySender", Object.keys(bySender), ":")];
}
