/** Holds what was spent against the agent's limits. The strictest verdict counts: refused, then cheaper, then near. */
import type { BudgetAsker, Budgets, BudgetVerdict } from "../../contracts/budget.ts";
import type { Clock } from "../../contracts/clock.ts";
import type { KeyValue, Spender, UsageLedger } from "../../contracts/store.ts";
import type { BudgetConfig } from "./config.ts";

interface BudgetDeps {
  usage: Pick<UsageLedger, "spent">;
  kv: Pick<KeyValue, "get" | "set">;
  clock: Clock;
  budgetsOf(agentId: string): BudgetConfig;
}

type Budget = BudgetConfig[number];

/** `id`: of the budget and its spender. Kept as id → period last told, so that what is kept does not grow with time. */
interface Warning {
  id: string;
  period: string;
}

const nearShare = 0.8;
const kvScope = "budget-told";

export function createBudgets({ usage, kv, clock, budgetsOf }: BudgetDeps): Budgets {
  const isTold = async (warning: Warning) => (await kv.get(kvScope, warning.id)) === warning.period;
  return {
    async check(asker) {
      let worst: BudgetVerdict = { type: "within" };
      for (const budget of budgetsOf(asker.agentId)) {
        const { cost } = await usage.spent(pickSpender(budget, asker), budget.every);
        if (cost >= budget.usd) {
          if (budget.action === "refuse" || budget.model === undefined) {
            return { type: "refused", message: formatRefusal(budget) };
          }
          worst = { type: "cheaper", model: budget.model, note: formatCheaper(budget) };
        } else if (cost >= budget.usd * nearShare && worst.type === "within") {
          const warning = buildWarning(budget, asker, clock.now());
          if (await isTold(warning)) continue;
          worst = { type: "near", note: formatNear(budget, cost), key: formatKey(warning) };
        }
      }
      return worst;
    },
    async noteTold(key) {
      const { id, period } = parseKey(key);
      await kv.set(kvScope, id, period);
    },
  };
}

function buildWarning(budget: Budget, asker: BudgetAsker, nowMs: number): Warning {
  const { per, every, usd } = budget;
  const id = [per, every, usd, Object.values(pickSpender(budget, asker)).join(" ")].join("|");
  return { id, period: formatPeriod(every, nowMs) };
}

/** The period comes first: there is no "|" in it, but there may be in a sender. */
const formatKey = ({ id, period }: Warning) => `${period}|${id}`;
const parseKey = (key: string): Warning => {
  const [period = "", ...rest] = key.split("|");
  return { id: rest.join("|"), period };
};

/** Sessions and people are counted within their agent. */
function pickSpender({ per }: Budget, { agentId, sessionKey, sender }: BudgetAsker): Spender {
  if (per === "session") return { agentId, sessionKey };
  return per === "sender" ? { agentId, sender } : { agentId };
}

const names = { agent: "this agent", session: "this conversation", sender: "you" };
const formatLimit = ({ per, every, usd }: Budget) =>
  `${every === "day" ? "today's" : "this month's"} budget for ${names[per]} ($${usd >= 0.01 ? usd.toFixed(2) : usd})`;

const formatRefusal = (budget: Budget) =>
  `${capitalise(formatLimit(budget))} is used up, so I did not ask the model. It starts anew ${budget.every === "day" ? "tomorrow" : "next month"}; the operator can raise it under agents.<name>.budget.`;
const formatCheaper = (budget: Budget) =>
  `${capitalise(formatLimit(budget))} is used up; I go on with ${budget.model}.`;
const formatNear = (budget: Budget, cost: number) =>
  `${Math.floor((cost / budget.usd) * 100)} % of ${formatLimit(budget)} is used.`;

const capitalise = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Local time, like the ledger's days. */
function formatPeriod(every: Budget["every"], nowMs: number): string {
  const now = new Date(nowMs);
  const month = `${now.getFullYear()}-${now.getMonth() + 1}`;
  return every === "month" ? month : `${month}-${now.getDate()}`;
}
