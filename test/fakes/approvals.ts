/** Approvals in memory, for tests that need the port and no database. The contract suite says how a real one behaves. */
import type { Approval, Approvals, NewApproval, StoredRule } from "../../src/contracts/approval.ts";
import type { Clock } from "../../src/contracts/clock.ts";
import type { ApprovalId, SessionKey, TurnId } from "../../src/contracts/ids.ts";

type FakeApprovals = Approvals & {
  /** Asks for `ls -l notes`, with what a test wants otherwise. */
  ask(more?: Partial<NewApproval>): Promise<Approval>;
};

export function createFakeApprovals(clock: Pick<Clock, "now">): FakeApprovals {
  const all: Approval[] = [];
  const rules: (StoredRule & { isGone?: true })[] = [];
  const now = (approval: Approval): Approval => {
    if (approval.state === "pending" && approval.expiresAt <= clock.now()) approval.state = "expired";
    return approval;
  };
  const get = async (id: ApprovalId) => {
    const found = all.find((each) => each.id === id);
    return found && { ...now(found) };
  };
  const find = async (turnId: TurnId, toolCallId: string) => {
    const found = all.find((each) => each.turnId === turnId && each.toolCallId === toolCallId);
    return found && { ...now(found) };
  };
  const addRule: Approvals["addRule"] = async (agentId, rule, by) => {
    const shape = JSON.stringify([agentId, rule.program, rule.args]);
    const same = rules.find(
      (each) => !each.isGone && JSON.stringify([each.agentId, each.program, each.args]) === shape,
    );
    if (same) return same;
    const added = { ...rule, id: `a${rules.length + 1}`, agentId, by, createdAt: clock.now() };
    rules.push(added);
    return added;
  };
  const request: Approvals["request"] = async (asked) => {
    const known = await find(asked.turnId, asked.toolCallId);
    if (known) return known;
    all.push({ ...asked, state: "pending", createdAt: clock.now() });
    return { ...asked, state: "pending", createdAt: clock.now() };
  };
  return {
    request,
    get,
    find,
    list: async ({ states, limit }) =>
      all
        .map(now)
        .filter(({ state }) => states?.includes(state) ?? true)
        .toReversed()
        .slice(0, limit),
    async answer(id, verdict, by) {
      const approval = all.find((each) => each.id === id);
      if (!approval) return { type: "unknown" };
      if (now(approval).state !== "pending") return { type: "late", approval: { ...approval } };
      approval.state = verdict === "deny" ? "denied" : "allowed";
      Object.assign(approval, { answeredBy: by, answeredAt: clock.now() });
      if (verdict === "always") for (const rule of approval.rules) await addRule(approval.agentId, rule, by);
      return { type: "answered", approval: { ...approval } };
    },
    async use(id, hash) {
      const approval = all.find((each) => each.id === id && each.state === "allowed" && each.hash === hash);
      if (approval) approval.state = "used";
      return approval !== undefined;
    },
    rules: async (agentId) => rules.filter((rule) => rule.agentId === agentId && !rule.isGone),
    addRule,
    async removeRule(agentId, id) {
      const rule = rules.find((each) => each.agentId === agentId && each.id === id && !each.isGone);
      if (rule) rule.isGone = true;
      return rule !== undefined;
    },
    ask: (more = {}) =>
      request({
        id: "k2m4p7" as ApprovalId,
        turnId: "t-asked" as TurnId,
        toolCallId: `call-${more.id ?? "k2m4p7"}`,
        sessionKey: "agent:main:main" as SessionKey,
        agentId: "main",
        channel: { adapter: "chat", channelId: "C1" },
        sender: "chat:U1",
        subject: {
          tool: "bash",
          text: "ls -l notes",
          exact: { argv: ["bash", "-c", "ls -l notes"], cwd: "/data/workspace", env: {} },
        },
        hash: "h",
        reason: "asked",
        rules: [{ program: "/usr/bin/ls", args: [{ type: "exact", text: "-l" }, { type: "path" }] }],
        expiresAt: clock.now() + 300_000,
        ...more,
      }),
  };
}
