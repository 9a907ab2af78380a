/** Which of the config's rules hold for one turn, layer by layer: the layers then only ask them about each tool. */
import type { PatternRules, PolicyRules } from "./build-rules.ts";
import type { PolicyInput } from "./policy-input.ts";
import type { RuleSet } from "./rule-set.ts";
import { matchesWildcard } from "./wildcard.ts";

export interface TurnRules {
  profile: readonly RuleSet[];
  provider: readonly RuleSet[];
  model: readonly RuleSet[];
  house: readonly RuleSet[];
  agent: readonly RuleSet[];
  /** Kind of session, chat, person. */
  chat: readonly RuleSet[];
  /** Undefined where the kind of session is trusted, or the config has a list of its own. */
  builtIn: readonly string[] | undefined;
  sandbox: readonly RuleSet[];
  subagent: readonly RuleSet[];
}

export function pickRules(rules: PolicyRules, input: PolicyInput): TurnRules {
  const { sessionType } = input;
  const agent = rules.agentOf(input.agentId);
  const ofSession = rules.sessions.get(sessionType);
  const isSubagent = sessionType === "subagent";
  return {
    profile: [rules.profile],
    provider: pickMatching(rules.providers, listProviderNames, input),
    model: pickMatching(rules.models, listModelNames, input),
    house: [rules.house],
    agent: agent ? [agent.own, ...pickMatching(agent.providers, listProviderNames, input)] : [],
    chat: [
      ...(ofSession && !isSubagent ? [ofSession] : []),
      ...pickKeyed(rules.channels, listChannelKeys, input),
      ...pickKeyed(rules.senders, listSenderKeys, input),
    ],
    builtIn: rules.sessionAllows.get(sessionType),
    sandbox: input.sandbox.isConfined ? [rules.sandbox] : [],
    subagent: ofSession && isSubagent ? [ofSession] : [],
  };
}

type ListNames = (input: PolicyInput) => readonly string[];

function pickMatching(all: readonly PatternRules[], listNames: ListNames, input: PolicyInput): RuleSet[] {
  if (all.length === 0) return [];
  const names = listNames(input);
  return all.flatMap(({ pattern, rules }) => (names.some((name) => matchesWildcard(name, pattern)) ? [rules] : []));
}

function pickKeyed(all: ReadonlyMap<string, RuleSet>, listKeys: ListNames, input: PolicyInput): RuleSet[] {
  if (all.size === 0) return [];
  return [...new Set(listKeys(input))].flatMap((key) => all.get(key) ?? []);
}

const listProviderNames: ListNames = ({ model }) => model.toLowerCase().split("/", 1);

/** The whole reference, and what stands after the provider: some providers pass on the models of others. */
const listModelNames: ListNames = ({ model }) => {
  const ref = model.toLowerCase();
  return [ref, ref.slice(ref.indexOf("/") + 1)];
};

const listChannelKeys: ListNames = ({ channel: { adapter, adapterType, channelId } }) => [
  adapter,
  adapterType,
  `${adapter}/${channelId}`,
  `${adapterType}/${channelId}`,
];

const listSenderKeys: ListNames = ({ channel, sender }) => [
  `${channel.adapter}:${sender.id}`,
  `${channel.adapterType}:${sender.id}`,
];
