/** Every tool with its verdict and the way to it, for people: `mom tools list`. Runs nothing. */
import type { StandingOrder } from "../contracts/standing-order.ts";
import type { ToolDecision } from "../contracts/tool.ts";
import { denyByExec } from "./approvals/deny-by-exec.ts";
import { loadTools } from "./catalog.ts";
import type { PolicyConfig } from "./policy/build-rules.ts";
import { createPolicy } from "./policy/create-policy.ts";
import type { LayerVerdict } from "./policy/decide-tools.ts";
import type { PolicyInput } from "./policy/policy-input.ts";
import { denyByOrders } from "./policy/standing-orders.ts";
import type { PolicyTool, ToolOrigin } from "./policy/tool-names.ts";

export interface ListedTool extends ToolDecision {
  group: string;
  origin: ToolOrigin;
  /** The nine layers in their order, then the owner's standing orders; for a custom tool also whether it can be reached. */
  layers: LayerVerdict[];
}

/** The way to custom tools. */
const door = "invoke_tool";

/** `others`: tools that are not native. `closed`: why the operator's gate on a platform's own tool is shut. */
export async function listTools(
  config: PolicyConfig,
  input: PolicyInput,
  orders: readonly StandingOrder[],
  others: readonly (PolicyTool & { closed?: string | undefined })[] = [],
): Promise<ListedTool[]> {
  const { nativeTools } = await loadTools();
  const tools: PolicyTool[] = [...nativeTools, ...others];
  const policy = createPolicy(config);
  const byPolicy = policy.decide(tools, input);
  const verdicts = policy.explain(tools, input);
  const listed = tools.map((tool, at): ListedTool => {
    const decision = byPolicy[at] ?? { name: tool.name, allowed: false };
    const agentExec = config.agentTools(input.agentId)?.exec;
    const [byExec = decision] = denyByExec([decision], input.sessionType, config.tools.exec, agentExec);
    const [final = byExec] = denyByOrders([byExec], [tool], orders);
    return {
      ...final,
      group: tool.group,
      origin: tool.origin ?? "native",
      layers: [...(verdicts[at] ?? []), ...explainExec(decision, byExec), explainOrders(tool, byExec.allowed, orders)],
    };
  });
  const hasDoor = listed.some(({ name, allowed }) => name === door && allowed);
  const { disabled } = config.tools.host;
  return listed.map((tool) => {
    if (tool.origin === "host") return addDoor(tool, hasDoor, disabled.includes(tool.name));
    if (tool.origin !== "channel") return tool;
    return addLayer(tool, "channel", others.find(({ name }) => name === tool.name)?.closed);
  });
}

/** A custom tool that nothing removes is still out of reach where the way to it is closed. */
function addDoor(tool: ListedTool, hasDoor: boolean, isDisabled: boolean): ListedTool {
  const closed = hasDoor ? undefined : `they are called through ${door}, which is not allowed here`;
  return addLayer(tool, "custom tools", isDisabled ? "it is in tools.host.disabled" : closed);
}

/** A tenth one, which only tools of that kind have. */
function addLayer(tool: ListedTool, layer: string, rule: string | undefined): ListedTool {
  if (rule === undefined) {
    const verdict = tool.allowed ? "kept" : "not asked";
    return { ...tool, layers: [...tool.layers, { layer, verdict }] };
  }
  if (!tool.allowed) return { ...tool, layers: [...tool.layers, { layer, verdict: "not asked", rule }] };
  const layers: LayerVerdict[] = [...tool.layers, { layer, verdict: "removed", rule }];
  return { ...tool, allowed: false, removedBy: { layer, rule }, layers };
}

/** Only where it makes a difference: for most tools there is no such policy. */
function explainExec(before: ToolDecision, { allowed, removedBy }: ToolDecision): LayerVerdict[] {
  return before.allowed && !allowed && removedBy ? [{ ...removedBy, verdict: "removed" }] : [];
}

function explainOrders(tool: PolicyTool, isAllowed: boolean, orders: readonly StandingOrder[]): LayerVerdict {
  const layer = "standing orders";
  const rule = denyByOrders([{ name: tool.name, allowed: true }], [tool], orders)[0]?.removedBy?.rule;
  const verdict = !isAllowed ? "not asked" : rule === undefined ? "kept" : "removed";
  return { layer, verdict, ...(rule !== undefined && { rule }) };
}
