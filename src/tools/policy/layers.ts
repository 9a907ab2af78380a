/**
 * The nine layers of tool policy, in the order in which they apply (spec 5.4). Each is a pure function that can only
 * remove, and says by which rule: a key of the config, or what mom herself holds to.
 */
import { adminsOnly, groupsWithoutMachine, neverForSubagents } from "./built-in-lists.ts";
import type { TurnRules } from "./pick-rules.ts";
import type { PolicyInput } from "./policy-input.ts";
import { createRemovals, type Removals } from "./removals.ts";
import type { Roster } from "./roster.ts";
import { applyRules, type RuleSet } from "./rule-set.ts";
import { isNative, type NamedTool, type PolicyTool } from "./tool-names.ts";

export interface LayerContext {
  /** The tools that are asked about. */
  roster: Roster;
  input: PolicyInput;
  /** What of the config holds for the turn. */
  rules: TurnRules;
  /** Whose each name is, by normalised name: mom's own before all others, else who came first. */
  owners: ReadonlyMap<string, NamedTool>;
  /** Of an errand: the same for the session that it works for. */
  principal?: LayerContext;
}

export interface PolicyLayer {
  name: string;
  /** Every tool that this layer removes, whatever the others say. */
  removes(context: LayerContext): Removals;
}

export const policyLayers: readonly PolicyLayer[] = [
  { name: "profile", removes: ({ roster, rules }) => removeByRules(roster, rules.profile) },
  { name: "provider", removes: ({ roster, rules }) => removeByRules(roster, rules.provider) },
  { name: "model", removes: ({ roster, rules }) => removeByRules(roster, rules.model) },
  { name: "global", removes: ({ roster, rules }) => removeByRules(roster, rules.house) },
  { name: "agent", removes: ({ roster, rules }) => removeByRules(roster, rules.agent) },
  { name: "group/channel/sender", removes: removeByChat },
  { name: "sandbox", removes: removeBySandbox },
  { name: "subagent", removes: removeFromSubagent },
  { name: "plugins", removes: removeImpostors },
];

function removeByRules(roster: Roster, sets: readonly RuleSet[]): Removals {
  const removals = createRemovals(roster);
  for (const rules of sets) applyRules(rules, removals);
  return removals.removed;
}

function removeByChat({ roster, input: { sessionType, sender }, rules: { chat, builtIn } }: LayerContext): Removals {
  const removals = createRemovals(roster);
  if (!sender.isAdmin) removals.deny(adminsOnly, () => "it is for admins only");
  for (const rules of chat) applyRules(rules, removals);
  if (builtIn) {
    const opener = `tools.bySession.${sessionType}.allow`;
    removals.limit(builtIn, `a ${sessionType} session has ${builtIn.join(", ")} only, unless ${opener} says otherwise`);
  }
  return removals.removed;
}

function removeBySandbox({ roster, input: { sandbox }, rules }: LayerContext): Removals {
  const { available, mode } = sandbox;
  if (available === true) return removeByRules(roster, rules.sandbox);
  const what = available.hasFiles ? "it runs programs" : "it works on this machine";
  const rule = `${what}, and the sandbox "${mode}" cannot be had: ${available.reason}`;
  const isLost = (tool: PolicyTool) => (available.hasFiles ? tool.group === "runtime" : needsMachine(tool));
  const lost = roster.tools.filter(({ tool }) => isLost(tool)).map((tool) => [tool, rule] as const);
  return new Map([...removeByRules(roster, rules.sandbox), ...lost]);
}

function removeFromSubagent({ roster, input, rules, principal }: LayerContext): Removals {
  const removals = createRemovals(roster);
  if (input.sessionType === "subagent") removals.deny(neverForSubagents, () => "subagents never have it");
  for (const set of rules.subagent) applyRules(set, removals);
  if (input.only) removals.limit(input.only, "it is not among the tools that this errand is given");
  return principal ? new Map([...listRemovedFrom(principal), ...removals.removed]) : removals.removed;
}

/** Everything that the session may not have which an errand works for, whichever layer says so. */
function listRemovedFrom(principal: LayerContext): Map<NamedTool, string> {
  const removed = new Map<NamedTool, string>();
  for (const { name, removes } of policyLayers) {
    for (const [tool, rule] of removes(principal)) {
      if (!removed.has(tool)) removed.set(tool, `the session it works for may not have it (${name}: ${rule})`);
    }
  }
  return removed;
}

/** What is not mom's own came through the layers above like the rest; here it loses a name that is not its own. */
function removeImpostors({ roster, owners }: LayerContext): Removals {
  const removed = new Map<NamedTool, string>();
  for (const named of roster.tools) {
    const rule = isNative(named.tool) ? undefined : describeImpostor(named, owners.get(named.key));
    if (rule !== undefined) removed.set(named, rule);
  }
  return removed;
}

function describeImpostor(named: NamedTool, owner: NamedTool | undefined): string | undefined {
  if (!plainName.test(named.key)) return "its name has more than plain letters, digits, _, . and -";
  if (owner === named) return undefined;
  return owner === undefined || isNative(owner.tool)
    ? `"${named.key}" is the name of one of mom's own tools`
    : `another ${owner.tool.origin} tool already has the name "${named.key}"`;
}

const plainName = /^[a-z0-9][a-z0-9_.-]*$/;

const needsMachine = (tool: PolicyTool) =>
  tool.needsMachine ?? !(isNative(tool) && groupsWithoutMachine.has(tool.group));
