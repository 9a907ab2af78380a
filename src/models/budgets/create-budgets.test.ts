import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import type { SessionKey } from "../../contracts/ids.ts";
import type { Spender } from "../../contracts/store.ts";
import { type BudgetConfig, budgetConfig } from "./config.ts";
import { createBudgets } from "./create-budgets.ts";

const asker = { agentId: "main", sessionKey: "agent:main:main" as SessionKey, sender: "cli:me" };

function setUp(budgets: unknown, spentBy: (who: Spender, period: "day" | "month") => number) {
  const told = new Map<string, unknown>();
  const parsed: BudgetConfig = budgetConfig.parse(budgets);
  const clock = createFakeClock();
  return {
    clock,
    budgets: createBudgets({
      clock,
      usage: { spent: async (who, period) => ({ cost: spentBy(who, period), tokens: 0 }) },
      kv: {
        get: async (_scope, key) => told.get(key),
        set: async (_scope, key, value) => void told.set(key, value),
      },
      budgetsOf: () => parsed,
    }),
  };
}

for (const [name, cost, expected] of [
  ["far below", 3.9, "within"],
  ["at 80 %", 4, "near"],
  ["just below the limit", 4.99, "near"],
  ["at the limit", 5, "refused"],
  ["beyond", 7, "refused"],
] as const) {
  test(`a budget of $5 a day, ${name}: ${expected}`, async () => {
    const { budgets } = setUp([{ usd: 5 }], () => cost);
    assert.equal((await budgets.check(asker)).type, expected);
  });
}

test("the warning is given until it was told, and again the next day", async () => {
  const { budgets, clock } = setUp([{ usd: 5 }], () => 4.5);
  const verdict = await budgets.check(asker);
  assert.ok(verdict.type === "near");
  assert.equal(verdict.note, "90 % of today's budget for this agent ($5.00) is used.");
  assert.deepEqual(await budgets.check(asker), verdict, "a check tells nobody");
  await budgets.noteTold(verdict.key);
  assert.equal((await budgets.check(asker)).type, "within");
  await clock.advance(24 * 3600_000);
  assert.equal((await budgets.check(asker)).type, "near");
});

test("what is told after midnight was the warning of the day before", async () => {
  const { budgets, clock } = setUp([{ usd: 5 }], () => 4.5);
  const verdict = await budgets.check(asker);
  assert.ok(verdict.type === "near");
  await clock.advance(24 * 3600_000);
  await budgets.noteTold(verdict.key);
  assert.equal((await budgets.check(asker)).type, "near");
});

test("each warning has its own key: told to one person, it is still to be told to another", async () => {
  const { budgets } = setUp([{ per: "sender", usd: 5 }], () => 4.5);
  const verdict = await budgets.check(asker);
  assert.ok(verdict.type === "near");
  await budgets.noteTold(verdict.key);
  assert.equal((await budgets.check({ ...asker, sender: "cli:you|me" })).type, "near");
});

test("the next budget that is near has its turn when the first was told", async () => {
  const { budgets } = setUp([{ usd: 5 }, { every: "month", usd: 5 }], () => 4.5);
  const notes: string[] = [];
  for (let verdict = await budgets.check(asker); verdict.type === "near"; verdict = await budgets.check(asker)) {
    notes.push(verdict.note);
    await budgets.noteTold(verdict.key);
  }
  assert.deepEqual(
    notes.map((note) => /today|month/.exec(note)?.[0]),
    ["today", "month"],
  );
});

test("each budget looks at its own spender and period", async () => {
  const asked: [Spender, string][] = [];
  const { budgets } = setUp(
    [
      { per: "agent", every: "month", usd: 100 },
      { per: "session", usd: 5 },
      { per: "sender", usd: 5 },
    ],
    (who, period) => {
      asked.push([who, period]);
      return 0;
    },
  );
  await budgets.check(asker);
  assert.deepEqual(asked, [
    [{ agentId: "main" }, "month"],
    [{ agentId: "main", sessionKey: asker.sessionKey }, "day"],
    [{ agentId: "main", sender: "cli:me" }, "day"],
  ]);
});

test("a cheaper model stands in until a stricter budget refuses", async () => {
  const limits = [
    { usd: 5, action: "fallback", model: "fast" },
    { usd: 8, action: "refuse" },
  ];
  const cheaper = await setUp(limits, () => 6).budgets.check(asker);
  assert.deepEqual(cheaper, {
    type: "cheaper",
    model: "fast",
    note: "Today's budget for this agent ($5.00) is used up; I go on with fast.",
  });
  assert.equal((await setUp(limits, () => 8).budgets.check(asker)).type, "refused");
});

test("a fallback without a model is refused by the config", () => {
  assert.equal(budgetConfig.safeParse([{ usd: 5, action: "fallback" }]).success, false);
});
