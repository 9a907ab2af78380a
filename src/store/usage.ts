/** What models cost, added up per day, session, agent and model, so that the table stays small. */
import type { Clock } from "../contracts/clock.ts";
import type { UsageLedger, UsageRow } from "../contracts/store.ts";
import type { Database } from "./database.ts";
import { number, text } from "./row.ts";

export interface UsageRows extends UsageLedger {
  /** Part of a larger transaction. */
  add(row: UsageRow): void;
}

const groupings = { day: "day", model: "model", session: "session_key" };

export function createUsage({ db, clock }: { db: Database; clock: Clock }): UsageRows {
  const book = db.prepare(
    `INSERT INTO usage (day, session_key, agent_id, model, calls, input, output, cache_read, cache_write, cost)
     VALUES (?, ?, ?, ?, 1, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET calls = calls + 1, input = input + excluded.input,
     output = output + excluded.output, cache_read = cache_read + excluded.cache_read,
     cache_write = cache_write + excluded.cache_write, cost = cost + excluded.cost`,
  );
  const addToSession = db.prepare(
    `UPDATE sessions SET input_tokens = input_tokens + ?, output_tokens = output_tokens + ?,
     total_tokens = total_tokens + ?, cost = cost + ? WHERE session_key = ?`,
  );
  const add = ({ sessionKey, agentId, model, usage }: UsageRow) => {
    const day = new Date(clock.now()).toISOString().slice(0, 10);
    const { input, output, cacheRead, cacheWrite, totalTokens, cost } = usage;
    book.run(day, sessionKey, agentId, model, input, output, cacheRead, cacheWrite, cost.total);
    addToSession.run(input, output, totalTokens, cost.total, sessionKey);
  };
  return {
    add,
    async record(row) {
      db.transaction(() => add(row));
    },
    async totals(by) {
      const column = groupings[by];
      const rows = db
        .prepare(
          `SELECT ${column} AS key, sum(calls) AS calls, sum(input) AS input, sum(output) AS output,
           sum(cache_read) AS cache_read, sum(cache_write) AS cache_write, sum(cost) AS cost
           FROM usage GROUP BY ${column} ORDER BY ${column}`,
        )
        .all();
      return rows.map((row) => ({
        key: text(row, "key"),
        calls: number(row, "calls"),
        input: number(row, "input"),
        output: number(row, "output"),
        cacheRead: number(row, "cache_read"),
        cacheWrite: number(row, "cache_write"),
        cost: number(row, "cost"),
      }));
    },
  };
}
