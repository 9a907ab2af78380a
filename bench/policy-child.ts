/**
 * Resolves tool policy in a fresh process: the first decision of all, then those of policies that have just been made (a new
 * config, nothing remembered), then as a running mom does it for every turn. Every one of the nine layers has rules to ask.
 * Started by benches/policy.ts.
 */
import type { ToolDecision } from "../src/contracts/tool.ts";
import { agentToolsConfig, toolsConfig } from "../src/tools/config.ts";
import { createPolicy, type Policy } from "../src/tools/policy/create-policy.ts";
import type { PolicyInput } from "../src/tools/policy/policy-input.ts";
import type { PolicyTool } from "../src/tools/policy/tool-names.ts";

export interface PolicyResult {
  toolCount: number;
  /** The first decision about all tools in this process: most of it is the engine compiling the code. */
  firstMs: number;
  /** A policy is made and decides for the first time. One sample per policy. */
  coldMs: number[];
  /** The same decision again. One sample per call. */
  cachedUs: number[];
}

const toolCount = 60;
const groups = ["fs", "runtime", "messaging", "automation", "sessions", "memory"];
const tools: PolicyTool[] = Array.from({ length: toolCount }, (_each, n) => ({
  name: `tool_${n}`,
  group: groups[n % groups.length] ?? "fs",
  ...(n % 5 === 0 && { origin: "mcp" as const }),
}));
/** As people write them: a few entries of each kind. */
const rules = { allow: ["group:host", "group:mom", "tool_1*"], deny: ["exec", "group:web", "*_59"] };
const input: PolicyInput = {
  sessionType: "subagent",
  agentId: "main",
  model: "lab/m1",
  channel: { adapter: "work", adapterType: "slack", channelId: "C1" },
  sender: { id: "U1", isAdmin: true },
  sandbox: { mode: "bwrap", available: true, isConfined: true },
};

function prepare(): () => Policy {
  const config = toolsConfig.parse({
    // `full`, which it is by itself, would be no list to ask.
    profile: "coding",
    ...rules,
    byProvider: { lab: rules },
    byModel: { "lab/*": rules },
    bySession: { subagent: rules },
    byChannel: { work: rules, "slack/C1": rules },
    bySender: { "work:U1": rules },
    sandbox: rules,
  });
  const own = agentToolsConfig.parse({ ...rules, byProvider: { lab: rules } });
  return () => createPolicy({ tools: config, agentTools: () => own, modelAliases: {} });
}

/** Milliseconds. */
function time(decide: () => ToolDecision[]): number {
  const start = performance.now();
  const decisions = decide();
  const ms = performance.now() - start;
  const allowed = decisions.filter((each) => each.allowed).length;
  if (decisions.length !== toolCount || allowed < toolCount / 2 || allowed === toolCount) {
    throw new Error(`${allowed} of ${decisions.length} tools are allowed: the layers were not asked as they should be`);
  }
  return ms;
}

const decideAnew = () => {
  const create = prepare();
  return time(() => create().decide(tools, input));
};
const firstMs = decideAnew();
const coldMs = Array.from({ length: 50 }, decideAnew);
const policy = prepare()();
const cachedUs = Array.from({ length: 500 }, () => time(() => policy.decide(tools, input)) * 1000).slice(1);
process.send?.({ toolCount, firstMs, coldMs, cachedUs } satisfies PolicyResult);
process.disconnect();
