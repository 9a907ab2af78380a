/** An agent's `budget`: how much may be spent, by whom, in which time. */
import { z } from "zod";

export const budgetConfig = z
  .array(
    z
      .strictObject({
        per: z
          .enum(["agent", "session", "sender"])
          .default("agent")
          .describe("Whose spending counts: the agent's in all, one conversation's, or one person's."),
        every: z.enum(["day", "month"]).default("day").describe("Local time."),
        usd: z.number().positive().describe("US dollars."),
        action: z
          .enum(["refuse", "fallback"])
          .default("refuse")
          .describe("When it is used up: refuse says so and makes no call, fallback goes on with model."),
        model: z.string().min(1).optional().describe("provider/model or an alias, for fallback."),
      })
      .superRefine((budget, context) => {
        if (budget.action !== "fallback" || budget.model !== undefined) return;
        context.addIssue({ code: "custom", path: ["model"], message: 'action "fallback" needs a "model".' });
      }),
  )
  .describe("Limits, checked before every model call. At 80 % the person is told once.");

export type BudgetConfig = z.output<typeof budgetConfig>;
