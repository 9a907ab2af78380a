/** One question to a model outside the loop: summaries and notes. Booked by whoever asks; within the same budgets. */
import type { BudgetAsker, Budgets } from "../contracts/budget.ts";
import type { Clock } from "../contracts/clock.ts";
import type { ModelInfo, ModelProvider, Usage } from "../contracts/model.ts";
import { textOf } from "./tool-runner.ts";

export interface OneQuestion {
  system: string;
  user: string;
  /** Tokens. */
  maxOutputTokens: number;
}

export type OneAnswer = { type: "ok"; text: string } | { type: "failed"; reason: string };

interface AskOnceParts {
  models: ModelProvider;
  budgets: Budgets;
  clock: Clock;
  model: ModelInfo;
  asker: BudgetAsker;
  signal: AbortSignal;
  sessionId: string;
  preferredProfile(): string | undefined;
}

/** `usage` collects what the questions cost until it is booked. */
export function createAskOnce(parts: AskOnceParts): {
  ask(question: OneQuestion): Promise<OneAnswer>;
  takeUsage(): { model: string; usage: Usage }[];
} {
  const { models, budgets, clock, model, asker, signal, sessionId, preferredProfile } = parts;
  let used: { model: string; usage: Usage }[] = [];
  return {
    async ask({ system, user, maxOutputTokens }) {
      const verdict = await budgets.check(asker);
      if (verdict.type === "refused") return { type: "failed", reason: verdict.message };
      const asked =
        verdict.type === "cheaper" ? await models.resolve(verdict.model) : { type: "model" as const, model };
      if (asked.type === "unavailable") return { type: "failed", reason: asked.message };
      const profile = preferredProfile();
      const stream = models.stream({
        model: asked.model,
        system,
        messages: [{ role: "user", content: user, timestamp: clock.now() }],
        tools: [],
        signal,
        sessionId,
        maxOutputTokens,
        ...(profile !== undefined && { preferredProfile: profile }),
      });
      const { message, failure } = await stream.result();
      if (message.usage.totalTokens > 0) used.push({ model: asked.model.ref, usage: message.usage });
      if (failure) return { type: "failed", reason: failure.detail };
      const text = textOf(message);
      return text === "" ? { type: "failed", reason: "empty answer" } : { type: "ok", text };
    },
    takeUsage() {
      const taken = used;
      used = [];
      return taken;
    },
  };
}
