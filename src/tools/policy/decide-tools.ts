/** Applies the layers to every tool: allowed, or the layer and rule that removed it. */
import type { ToolDecision } from "../../contracts/tool.ts";
import { type PolicyInput, policyLayers } from "./layers.ts";
import type { PolicyTool } from "./tool-names.ts";

export function decideTools(tools: readonly PolicyTool[], input: PolicyInput): ToolDecision[] {
  return tools.map((tool) => {
    for (const layer of policyLayers) {
      const rule = layer.removes(tool, input);
      if (rule !== undefined) return { name: tool.name, allowed: false, removedBy: { layer: layer.name, rule } };
    }
    return { name: tool.name, allowed: true };
  });
}
