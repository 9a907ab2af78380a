/**
 * Approvals as rows: asked, answered once, used once. Every change of state is one conditional update, so of several
 * processes (the running mom, `mom approvals` beside it) exactly one makes it. What `always` allowed outlives the question:
 * a withdrawn rule leaves its number behind, so that no id comes to mean another rule.
 */
import { StoreError } from "../base/errors.ts";
import type {
  AllowRule,
  AnswerResult,
  Approval,
  ApprovalState,
  Approvals,
  ApprovalVerdict,
  StoredRule,
} from "../contracts/approval.ts";
import type { Clock } from "../contracts/clock.ts";
import type { ApprovalId, SessionKey, TurnId } from "../contracts/ids.ts";
import type { Database } from "./database.ts";
import { buildWhere, json, number, optionalText, type Row, text } from "./row.ts";

export function createApprovals({ db, clock }: { db: Database; clock: Clock }): Approvals {
  const insert = db.prepare(
    `INSERT INTO approvals (id, turn_id, tool_call_id, session_key, agent_id, adapter, channel_id, sender, subject, hash,
       reason, rules, state, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?) ON CONFLICT (turn_id, tool_call_id) DO NOTHING`,
  );
  const byId = db.prepare("SELECT * FROM approvals WHERE id = ?");
  const byCall = db.prepare("SELECT * FROM approvals WHERE turn_id = ? AND tool_call_id = ?");
  const overdue = db.prepare("SELECT 1 FROM approvals WHERE state = 'pending' AND expires_at <= ? LIMIT 1");
  const expire = db.prepare("UPDATE approvals SET state = 'expired' WHERE state = 'pending' AND expires_at <= ?");
  const settle = db.prepare(
    `UPDATE approvals SET state = ?1, answered_by = ?2, answered_at = ?4 WHERE id = ?3 AND state = 'pending'
     AND expires_at > ?4`,
  );
  const useUp = db.prepare("UPDATE approvals SET state = 'used' WHERE id = ? AND state = 'allowed' AND hash = ?");
  const rules = createRules({ db, clock });

  /** Written down, not only computed: a clock that is set back brings no question to life again. */
  const expireOverdue = () => {
    const now = clock.now();
    if (overdue.get(now)) expire.run(now);
  };
  const find = (row: () => Row | undefined): Approval | undefined => {
    expireOverdue();
    const found = row();
    return found && toApproval(found);
  };

  return {
    async request(asked) {
      const { id, turnId, toolCallId, sessionKey, agentId, channel, sender, subject, hash, reason } = asked;
      insert.run(
        ...[id, turnId, toolCallId, sessionKey, agentId, channel.adapter, channel.channelId, sender],
        ...[JSON.stringify(subject), hash, reason, JSON.stringify(asked.rules), clock.now(), asked.expiresAt],
      );
      const approval = find(() => byCall.get(turnId, toolCallId));
      if (approval) return approval;
      throw new StoreError("DATABASE_FAILED", "An approval has vanished from the database", {
        hint: "Run `mom doctor`.",
      });
    },
    get: async (id) => find(() => byId.get(id)),
    find: async (turnId, toolCallId) => find(() => byCall.get(turnId, toolCallId)),
    async list({ states, limit }) {
      expireOverdue();
      const { sql, values } = buildWhere({ state: states });
      const query = db.prepare(`SELECT * FROM approvals ${sql} ORDER BY created_at DESC, rowid DESC LIMIT ?`);
      return query.all(...values, limit).map(toApproval);
    },
    answer: async (id, verdict, by) =>
      db.transaction((): AnswerResult => {
        const isFirst = settle.run(toState(verdict), by, id, clock.now()).changes === 1;
        const approval = find(() => byId.get(id));
        if (!approval) return { type: "unknown" };
        if (!isFirst) return { type: "late", approval };
        if (verdict === "always") for (const rule of approval.rules) rules.add(approval.agentId, rule, by);
        return { type: "answered", approval };
      }),
    use: async (id, hash) => useUp.run(id, hash).changes === 1,
    rules: async (agentId) => rules.list(agentId),
    addRule: async (agentId, rule, by) => db.transaction(() => rules.add(agentId, rule, by)),
    removeRule: async (agentId, id) => rules.remove(agentId, id),
  };
}

/** What `always` keeps. `add` is called inside a transaction. */
function createRules({ db, clock }: { db: Database; clock: Clock }) {
  const insert = db.prepare(
    `INSERT INTO allow_rules (agent_id, n, program, args, given_by, created_at)
     SELECT ?1, coalesce(max(n), 0) + 1, ?2, ?3, ?4, ?5 FROM allow_rules WHERE agent_id = ?1
     ON CONFLICT (agent_id, program, args) WHERE removed_at IS NULL DO NOTHING`,
  );
  const same = db.prepare(
    "SELECT * FROM allow_rules WHERE agent_id = ? AND program = ? AND args = ? AND removed_at IS NULL",
  );
  const inForce = db.prepare("SELECT * FROM allow_rules WHERE agent_id = ? AND removed_at IS NULL ORDER BY n");
  const withdraw = db.prepare(
    "UPDATE allow_rules SET removed_at = ? WHERE agent_id = ? AND n = ? AND removed_at IS NULL",
  );
  return {
    add(agentId: string, { program, args }: AllowRule, by: string): StoredRule {
      const shape = JSON.stringify(args.map(toShape));
      insert.run(agentId, program, shape, by, clock.now());
      const row = same.get(agentId, program, shape);
      if (row) return toRule(row);
      throw new StoreError("DATABASE_FAILED", "An allow rule has vanished from the database", {
        hint: "Run `mom doctor`.",
      });
    },
    list: (agentId: string): StoredRule[] => inForce.all(agentId).map(toRule),
    remove(agentId: string, id: string): boolean {
      const n = /^a([1-9]\d{0,14})$/.exec(id)?.[1];
      return n !== undefined && withdraw.run(clock.now(), agentId, Number(n)).changes === 1;
    },
  };
}

/** One spelling per shape, for they are compared as text. */
const toShape = (shape: AllowRule["args"][number]) =>
  shape.type === "exact" ? { type: "exact", text: shape.text } : { type: "path" };

const toState = (verdict: ApprovalVerdict): ApprovalState => (verdict === "deny" ? "denied" : "allowed");

/** Questions whose time is long over. One that a turn may still come back to stays. Run inside the store's `prune`. */
export const pruneApprovalsSql = (batch: number): string =>
  `DELETE FROM approvals WHERE rowid IN (SELECT a.rowid FROM approvals a WHERE a.created_at < ?1 AND a.expires_at < ?1
   AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.id = a.turn_id AND t.state IN ('received', 'queued', 'running'))
   ORDER BY a.created_at LIMIT ${batch})`;

function toApproval(row: Row): Approval {
  const answeredBy = optionalText(row, "answered_by");
  return {
    id: text(row, "id") as ApprovalId,
    turnId: text(row, "turn_id") as TurnId,
    toolCallId: text(row, "tool_call_id"),
    sessionKey: text(row, "session_key") as SessionKey,
    agentId: text(row, "agent_id"),
    channel: { adapter: text(row, "adapter"), channelId: text(row, "channel_id") },
    sender: text(row, "sender"),
    subject: json(row, "subject"),
    hash: text(row, "hash"),
    reason: text(row, "reason"),
    rules: json(row, "rules"),
    expiresAt: number(row, "expires_at"),
    state: text(row, "state") as ApprovalState,
    createdAt: number(row, "created_at"),
    ...(answeredBy !== undefined && { answeredBy, answeredAt: number(row, "answered_at") }),
  };
}

function toRule(row: Row): StoredRule {
  return {
    id: `a${number(row, "n")}`,
    agentId: text(row, "agent_id"),
    program: text(row, "program"),
    args: json(row, "args"),
    by: text(row, "given_by"),
    createdAt: number(row, "created_at"),
  };
}
