/** Where the exec policy of a session says deny, programs are not even offered. */
import type { SessionType } from "../../contracts/session.ts";
import type { ToolDecision } from "../../contracts/tool.ts";
import { type AgentExecConfig, type ExecConfig, pickExecPolicy } from "./config.ts";
import { execDenies, execKeyOf } from "./decide.ts";

const programTools = ["bash", "process"];

export function denyByExec(
  decisions: readonly ToolDecision[],
  sessionType: SessionType,
  exec: ExecConfig,
  agentExec: AgentExecConfig | undefined,
): ToolDecision[] {
  if (!execDenies(pickExecPolicy(sessionType, exec, agentExec))) return [...decisions];
  const removedBy = { layer: "exec policy", rule: `${execKeyOf(sessionType)} is "deny"` };
  return decisions.map((decision) =>
    decision.allowed && programTools.includes(decision.name)
      ? { name: decision.name, allowed: false, removedBy }
      : decision,
  );
}
