/**
 * The policy of one configuration: decides which tools a turn may use, and remembers what it decided. Made by the toolbox
 * (anew with every config) and asked for every turn.
 */
import type { ToolDecision } from "../../contracts/tool.ts";
import { buildRules, type PolicyConfig } from "./build-rules.ts";
import { decideTools, explainTools, type LayerVerdict } from "./decide-tools.ts";
import type { PolicyInput } from "./policy-input.ts";
import type { PolicyTool } from "./tool-names.ts";

export interface Policy {
  /** One decision per tool, in the same order; tools of the same name are told apart by their place. */
  decide(tools: readonly PolicyTool[], input: PolicyInput): ToolDecision[];
  /** What each of the nine layers says about each tool. Not remembered. */
  explain(tools: readonly PolicyTool[], input: PolicyInput): LayerVerdict[][];
}

/** Kinds of turns that are remembered; each costs a few kilobytes. */
const maxRemembered = 256;

export function createPolicy(config: PolicyConfig): Policy {
  const rules = buildRules(config);
  /** The one used longest ago stands first. */
  const remembered = new Map<string, readonly ToolDecision[]>();
  return {
    decide(tools, input) {
      const key = buildKey(tools, input);
      const decisions = remembered.get(key) ?? decideTools(tools, input, rules).map((each) => Object.freeze(each));
      remembered.delete(key);
      remembered.set(key, decisions);
      const [oldest] = remembered.keys();
      if (remembered.size > maxRemembered && oldest !== undefined) remembered.delete(oldest);
      return [...decisions];
    },
    explain: (tools, input) => explainTools(tools, input, rules),
  };
}

/** Everything that a decision depends on, beside the configuration. */
function buildKey(tools: readonly PolicyTool[], input: PolicyInput): string {
  const { sessionType, agentId, model, channel, sender, sandbox, principal, only } = input;
  return JSON.stringify([
    [sessionType, agentId, model, sender.id, sender.isAdmin],
    [channel.adapter, channel.adapterType, channel.channelId],
    [sandbox.mode, sandbox.available, sandbox.isConfined],
    principal && [
      [principal.sessionType, principal.agentId, principal.senderId],
      [principal.channel.adapter, principal.channel.adapterType, principal.channel.channelId],
    ],
    only,
    tools.map(({ name, group, origin, needsMachine }) => [name, group, origin, needsMachine]),
  ]);
}
