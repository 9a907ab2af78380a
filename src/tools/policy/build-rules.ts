/** The whole policy of a configuration, made ready: every place that narrows, by what it hangs on. `pickRules` chooses for a turn. */
import type { SessionType } from "../../contracts/session.ts";
import type { AgentToolsConfig, ToolRules, ToolsConfig } from "../config.ts";
import { sessionAllows } from "./built-in-lists.ts";
import { buildRuleSet, joinPath, type RuleSet } from "./rule-set.ts";
import { parseWildcard, type Wildcard } from "./wildcard.ts";

/** What policy reads. Taken as it is: an edited config makes a new policy. */
export interface PolicyConfig {
  tools: ToolsConfig;
  /** What an agent has of its own. */
  agentTools(agentId: string): AgentToolsConfig | undefined;
  /** Short names of models, so that `tools.byModel` may use them. */
  modelAliases: Readonly<Record<string, string>>;
}

/** Rules for whatever the pattern matches. */
export interface PatternRules {
  pattern: Wildcard;
  rules: RuleSet;
}

export interface PolicyRules {
  profile: RuleSet;
  house: RuleSet;
  providers: readonly PatternRules[];
  models: readonly PatternRules[];
  sessions: ReadonlyMap<SessionType, RuleSet>;
  /** What a kind of session may have where the config says nothing else. */
  sessionAllows: ReadonlyMap<SessionType, readonly string[]>;
  channels: ReadonlyMap<string, RuleSet>;
  senders: ReadonlyMap<string, RuleSet>;
  sandbox: RuleSet;
  agentOf(agentId: string): { own: RuleSet; providers: readonly PatternRules[] } | undefined;
}

const sessionTypes: readonly SessionType[] = ["main", "dm", "group", "topic", "subagent", "cron"];

export function buildRules({ tools, agentTools, modelAliases }: PolicyConfig): PolicyRules {
  const { profile, allow, deny, bySession } = tools;
  const sessions = new Map<SessionType, RuleSet>();
  const builtIn = new Map<SessionType, readonly string[]>();
  for (const type of sessionTypes) {
    const rules = bySession[type];
    if (rules) sessions.set(type, buildRuleSet(`tools.bySession.${type}`, rules));
    const names = sessionAllows[type];
    if (names && rules?.allow === undefined) builtIn.set(type, names);
  }
  const expandAlias = (name: string) => (Object.hasOwn(modelAliases, name) ? (modelAliases[name] ?? name) : name);
  return {
    profile: buildRuleSet("tools", { profile, deny: [] }),
    house: buildRuleSet("tools", { allow, deny }),
    providers: buildPatternRules("tools.byProvider", tools.byProvider),
    models: buildPatternRules("tools.byModel", tools.byModel, expandAlias),
    sessions,
    sessionAllows: builtIn,
    channels: buildKeyedRules("tools.byChannel", tools.byChannel),
    senders: buildKeyedRules("tools.bySender", tools.bySender),
    sandbox: buildRuleSet("tools.sandbox", tools.sandbox),
    agentOf(agentId) {
      const own = agentTools(agentId);
      if (!own) return undefined;
      const path = `${joinPath("agents", agentId)}.tools`;
      return { own: buildRuleSet(path, own), providers: buildPatternRules(`${path}.byProvider`, own.byProvider) };
    },
  };
}

function buildPatternRules(
  path: string,
  byPattern: Readonly<Record<string, ToolRules>>,
  expand = (key: string) => key,
): PatternRules[] {
  return Object.entries(byPattern).map(([key, rules]) => ({
    pattern: parseWildcard(expand(key.trim()).toLowerCase()),
    rules: buildRuleSet(joinPath(path, key), rules),
  }));
}

const buildKeyedRules = (path: string, byKey: Readonly<Record<string, ToolRules>>): Map<string, RuleSet> =>
  new Map(Object.entries(byKey).map(([key, rules]) => [key, buildRuleSet(joinPath(path, key), rules)]));
