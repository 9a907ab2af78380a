/** What models cost, added up per day, agent, session, sender and model, so that the table stays small. */
import type { Clock } from "../contracts/clock.ts";
import type { Spender, UsageLedger, UsageRow } from "../contracts/store.ts";
import type { Database, Statement } from "./database.ts";
import { number, text } from "./row.ts";

export interface UsageRows extends UsageLedger {
  /** Part of a larger transaction. */
  add(row: UsageRow): void;
}

interface Spent {
  cost: number;
  tokens: number;
}

const groupings = { day: "day", model: "model", session: "session_key", agent: "agent_id", sender: "sender" };
/** Spenders whose earlier days of the month are kept in memory. */
const mostRemembered = 1000;

export function createUsage({ db, clock }: { db: Database; clock: Clock }): UsageRows {
  const book = db.prepare(
    `INSERT INTO usage (day, agent_id, session_key, sender, model, calls, input, output, cache_read, cache_write, cost)
     VALUES (?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET calls = calls + 1,
     input = input + excluded.input, output = output + excluded.output, cache_read = cache_read + excluded.cache_read,
     cache_write = cache_write + excluded.cache_write, cost = cost + excluded.cost`,
  );
  const addToSession = db.prepare(
    `UPDATE sessions SET input_tokens = input_tokens + ?, output_tokens = output_tokens + ?,
     total_tokens = total_tokens + ?, cost = cost + ? WHERE session_key = ?`,
  );
  const sumDays = createSums(db);
  /** The month before today cannot change any more, so it is added up once a day; today's rows are few. */
  let past = { today: "", spent: new Map<string, Spent>() };

  const add = ({ sessionKey, agentId, sender, model, usage }: UsageRow) => {
    const { input, output, cacheRead, cacheWrite, totalTokens, cost } = usage;
    const day = toLocalDay(clock.now());
    book.run(day, agentId, sessionKey, sender, model, input, output, cacheRead, cacheWrite, cost.total);
    addToSession.run(input, output, totalTokens, cost.total, sessionKey);
  };
  const spentBefore = (who: Spender, today: string): Spent => {
    if (past.today !== today) past = { today, spent: new Map() };
    const name = JSON.stringify([who.agentId, who.sessionKey, who.sender]);
    const known = past.spent.get(name);
    if (known) return known;
    const spent = sumDays(who, `${today.slice(0, 7)}-01`, today);
    if (past.spent.size >= mostRemembered) past.spent.clear();
    past.spent.set(name, spent);
    return spent;
  };

  return {
    add,
    async record(row) {
      db.transaction(() => add(row));
    },
    async totals(by, since = "") {
      const column = groupings[by];
      const rows = db
        .prepare(
          `SELECT ${column} AS key, sum(calls) AS calls, sum(input) AS input, sum(output) AS output,
           sum(cache_read) AS cache_read, sum(cache_write) AS cache_write, sum(cost) AS cost
           FROM usage WHERE day >= ? GROUP BY ${column} ORDER BY ${column}`,
        )
        .all(since);
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
    async spent(who, period) {
      const today = toLocalDay(clock.now());
      const now = sumDays(who, today, undefined);
      if (period === "day") return now;
      const before = spentBefore(who, today);
      return { cost: before.cost + now.cost, tokens: before.tokens + now.tokens };
    },
  };
}

/** Adds up what one spender used on one day, or from one day until before another. A statement is prepared once per question. */
function createSums(db: Database): (who: Spender, day: string, until: string | undefined) => Spent {
  const statements = new Map<string, Statement>();
  return (who, day, until) => {
    const given = Object.entries({ agent_id: who.agentId, session_key: who.sessionKey, sender: who.sender }).flatMap(
      ([column, value]) => (value === undefined ? [] : [{ column, value }]),
    );
    const days = until === undefined ? "day = ?" : "day >= ? AND day < ?";
    const where = [...given.map(({ column }) => `${column} = ?`), days].join(" AND ");
    const statement =
      statements.get(where) ??
      db.prepare(
        `SELECT total(cost) AS cost, total(input + output + cache_read + cache_write) AS tokens
         FROM usage WHERE ${where}`,
      );
    statements.set(where, statement);
    const row = statement.get(...given.map(({ value }) => value), day, ...(until === undefined ? [] : [until]));
    return { cost: Number(row?.["cost"]), tokens: Number(row?.["tokens"]) };
  };
}

/** `YYYY-MM-DD` where the machine is. */
function toLocalDay(ms: number): string {
  const date = new Date(ms);
  const pad = (value: number, digits: number) => String(value).padStart(digits, "0");
  return `${pad(date.getFullYear(), 4)}-${pad(date.getMonth() + 1, 2)}-${pad(date.getDate(), 2)}`;
}
