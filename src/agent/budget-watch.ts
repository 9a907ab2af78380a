/** A turn's eye on its budgets: asked before every request, and what the person should hear of it is kept for the answer. */
import type { BudgetAsker, Budgets, BudgetVerdict } from "../contracts/budget.ts";
import type { ModelInfo, ModelProvider } from "../contracts/model.ts";

export type OverBudget = Extract<BudgetVerdict, { type: "cheaper" | "refused" }>;

export interface BudgetWatch {
  /** Undefined: the model may be asked. */
  check(model: ModelInfo): Promise<OverBudget | undefined>;
  /** What goes with the answer. Called once it is given: a warning counts as told then, not before. */
  takeNotes(): Promise<string[]>;
}

export function createBudgetWatch(
  { budgets, models }: { budgets: Budgets; models: Pick<ModelProvider, "resolve"> },
  asker: BudgetAsker,
): BudgetWatch {
  /** By what they are about, so that a later one replaces an earlier one. */
  const warnings = new Map<string, string>();
  const switches = new Set<string>();
  return {
    async check(model) {
      const verdict = await budgets.check(asker);
      if (verdict.type === "near") warnings.set(verdict.key, verdict.note);
      if (verdict.type === "refused") return verdict;
      if (verdict.type !== "cheaper") return undefined;
      switches.add(verdict.note);
      const cheaper = await models.resolve(verdict.model);
      return cheaper.type === "model" && cheaper.model.ref === model.ref ? undefined : verdict;
    },
    async takeNotes() {
      const notes = [...warnings.values(), ...switches];
      for (const key of warnings.keys()) await budgets.noteTold(key);
      warnings.clear();
      switches.clear();
      return notes;
    },
  };
}
