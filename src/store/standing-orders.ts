/**
 * Standing orders as rows, outside every transcript. One that was withdrawn leaves its number and its turn behind, so that
 * neither a new order nor a command that is resumed after a crash can bring it back.
 */
import { StoreError } from "../base/errors.ts";
import type { Clock } from "../contracts/clock.ts";
import type { StandingOrder, StandingOrders } from "../contracts/standing-order.ts";
import type { Database } from "./database.ts";
import { json, number, type Row, text } from "./row.ts";

export function createStandingOrders({ db, clock }: { db: Database; clock: Clock }): StandingOrders {
  const insert = db.prepare(
    `INSERT INTO standing_orders (agent_id, n, turn_id, text, deny_tools, deny_recipients, given_by, created_at)
     SELECT ?1, coalesce(max(n), 0) + 1, ?2, ?3, ?4, ?5, ?6, ?7 FROM standing_orders WHERE agent_id = ?1
     ON CONFLICT (turn_id) DO NOTHING`,
  );
  const byTurn = db.prepare("SELECT * FROM standing_orders WHERE turn_id = ?");
  const inForce = db.prepare("SELECT * FROM standing_orders WHERE agent_id = ? AND removed_at IS NULL ORDER BY n");
  const withdraw = db.prepare(
    "UPDATE standing_orders SET removed_at = ? WHERE agent_id = ? AND n = ? AND removed_at IS NULL",
  );
  const known = new Map<string, StandingOrder[]>();
  let version = db.dataVersion();

  /** Another process may have changed them: the database says so at the price of one page. */
  const forgetIfChanged = () => {
    const now = db.dataVersion();
    if (now !== version) known.clear();
    version = now;
  };

  return {
    async add({ agentId, text: what, denyTools, denyRecipients, by }, turnId) {
      const row = db.transaction(() => {
        const lists = [JSON.stringify(denyTools), JSON.stringify(denyRecipients)];
        insert.run(agentId, turnId, what, ...lists, by, clock.now());
        return byTurn.get(turnId);
      });
      known.delete(agentId);
      if (row) return toOrder(row);
      throw new StoreError("DATABASE_FAILED", "A standing order has vanished from the database", {
        hint: "Run `mom doctor`.",
      });
    },
    async list(agentId) {
      forgetIfChanged();
      const orders = known.get(agentId) ?? inForce.all(agentId).map(toOrder);
      known.set(agentId, orders);
      return [...orders];
    },
    async remove(agentId, id) {
      const n = /^r([1-9]\d{0,14})$/.exec(id)?.[1];
      if (n === undefined) return false;
      const isRemoved = withdraw.run(clock.now(), agentId, Number(n)).changes === 1;
      known.delete(agentId);
      return isRemoved;
    },
  };
}

function toOrder(row: Row): StandingOrder {
  return {
    id: `r${number(row, "n")}`,
    agentId: text(row, "agent_id"),
    text: text(row, "text"),
    denyTools: json(row, "deny_tools"),
    denyRecipients: json(row, "deny_recipients"),
    by: text(row, "given_by"),
    createdAt: number(row, "created_at"),
  };
}
