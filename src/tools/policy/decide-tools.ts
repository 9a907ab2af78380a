/** Applies the layers to the tools of a turn, or follows one tool through them for a person. Pure; cached by `createPolicy`. */
import type { ToolDecision } from "../../contracts/tool.ts";
import type { PolicyRules } from "./build-rules.ts";
import { type LayerContext, policyLayers } from "./layers.ts";
import { listNativeNames } from "./native-names.ts";
import { pickRules } from "./pick-rules.ts";
import { type PolicyInput, toPrincipalInput } from "./policy-input.ts";
import { buildRoster, type Roster } from "./roster.ts";
import { isNative, type NamedTool, type PolicyTool } from "./tool-names.ts";

/** What one layer said. `not asked`: an earlier one had removed the tool; `rule` is then what would have removed it here too. */
export interface LayerVerdict {
  layer: string;
  verdict: "kept" | "removed" | "not asked";
  rule?: string;
}

/** One decision per tool, in the order of the tools: allowed, or the first layer that removed it, and by which rule. */
export function decideTools(tools: readonly PolicyTool[], input: PolicyInput, rules: PolicyRules): ToolDecision[] {
  const context = buildContext(tools, input, rules);
  const removedBy = new Map<NamedTool, { layer: string; rule: string }>();
  for (const { name: layer, removes } of policyLayers) {
    for (const [tool, rule] of removes(context)) if (!removedBy.has(tool)) removedBy.set(tool, { layer, rule });
  }
  return context.roster.tools.map((named) => {
    const removed = removedBy.get(named);
    const { name } = named.tool;
    return removed ? { name, allowed: false, removedBy: removed } : { name, allowed: true };
  });
}

/** What each of the nine layers says about the tools, in the order of the tools. */
export function explainTools(tools: readonly PolicyTool[], input: PolicyInput, rules: PolicyRules): LayerVerdict[][] {
  const context = buildContext(tools, input, rules);
  const layers = policyLayers.map(({ name, removes }) => ({ name, removed: removes(context) }));
  return context.roster.tools.map((named) => {
    let isRemoved = false;
    return layers.map(({ name: layer, removed }) => {
      const rule = removed.get(named);
      const verdict = isRemoved ? "not asked" : rule === undefined ? "kept" : "removed";
      isRemoved ||= rule !== undefined;
      return { layer, verdict, ...(rule !== undefined && { rule }) };
    });
  });
}

function buildContext(tools: readonly PolicyTool[], input: PolicyInput, rules: PolicyRules): LayerContext {
  const roster = buildRoster(tools);
  const owners = listOwners(roster);
  const build = (of: PolicyInput): LayerContext => ({ roster, input: of, rules: pickRules(rules, of), owners });
  const principal = toPrincipalInput(input);
  return { ...build(input), ...(principal && { principal: build(principal) }) };
}

/** Mom's own come first, wherever they stand; a name of hers that no tool bears yet belongs to none of the others. */
function listOwners({ tools }: Roster): Map<string, NamedTool> {
  const owners = new Map<string, NamedTool>();
  const others: NamedTool[] = [];
  for (const named of tools) {
    if (isNative(named.tool)) owners.set(named.key, named);
    else others.push(named);
  }
  if (others.length === 0) return owners;
  const reserved = new Set(listNativeNames());
  for (const named of others) {
    if (!owners.has(named.key) && !reserved.has(named.key)) owners.set(named.key, named);
  }
  return owners;
}
