/** Under which approvals programs run for an errand: what its session may do, and never more than the one it works for. */
import type { ToolDecision, ToolScope } from "../../contracts/tool.ts";
import { type AgentExecConfig, type ExecConfig, type ExecPolicy, pickExecPolicy } from "../approvals/config.ts";
import { denyByExec } from "../approvals/deny-by-exec.ts";

type Whose = Pick<ToolScope, "session" | "principal">;
type AgentExecOf = (agentId: string) => AgentExecConfig | undefined;

/** The strictest first: `ask` runs what is listed and more, `allowlist` nothing more. */
const byStrictness: readonly ExecPolicy[] = ["deny", "allowlist", "ask", "full"];

/** The stricter of what holds for the session and for the one that it works for. */
export function pickScopeExec(scope: Whose, exec: Pick<ExecConfig, "approvals">, agentExecOf: AgentExecOf): ExecPolicy {
  const policies = listParties(scope).map(({ type, agentId }) => pickExecPolicy(type, exec, agentExecOf(agentId)));
  return byStrictness.find((policy) => policies.includes(policy)) ?? "deny";
}

/** Where either may run no programs, they are not offered. */
export function denyByScopeExec(
  decisions: readonly ToolDecision[],
  scope: Whose,
  exec: ExecConfig,
  agentExecOf: AgentExecOf,
): ToolDecision[] {
  return listParties(scope).reduce<ToolDecision[]>(
    (left, { type, agentId }) => denyByExec(left, type, exec, agentExecOf(agentId)),
    [...decisions],
  );
}

const listParties = ({ session, principal }: Whose) => [
  { type: session.type, agentId: session.agentId },
  ...(principal ? [{ type: principal.sessionType, agentId: principal.agentId }] : []),
];
