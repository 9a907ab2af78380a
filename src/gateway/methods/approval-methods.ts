/** What waits for a person's word, and the word. */
import type { ApprovalId } from "../../contracts/ids.ts";
import type { Group, MethodDeps } from "./method-deps.ts";
import { invalid, notFound } from "./refusals.ts";
import { toApprovalSummary } from "./to-summary.ts";

const usualApprovals = 100;

export function buildApprovalMethods({ house }: MethodDeps): Group<"approvals.list" | "approvals.resolve"> {
  const { approvals } = house.store;
  return {
    async "approvals.list"({ all = false, limit = usualApprovals }) {
      const found = await approvals.list({ limit, ...(!all && { states: ["pending"] }) });
      return { approvals: found.map(toApprovalSummary) };
    },
    async "approvals.resolve"({ id, verdict }, { identity }) {
      const approval = await approvals.get(id as ApprovalId);
      if (!approval) throw notFound(`approval ${id}`);
      if (verdict === "always" && approval.rules.length === 0) {
        throw invalid(`What approval ${id} is about cannot be allowed for good, only once at a time`);
      }
      const result = await house.answerApproval(approval.id, verdict, `gateway:${identity.id}`);
      if (result.type === "unknown") throw notFound(`approval ${id}`);
      return { outcome: result.type, approval: toApprovalSummary(result.approval) };
    },
  };
}
