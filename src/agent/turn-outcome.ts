/** How a turn ended, in words for the person who asked and for the operator's log. */
import type { AgentOutcome } from "../contracts/agent.ts";
import type { ModelFailure } from "../contracts/model.ts";
import type { Attempt } from "./converse.ts";

/** What the prompt teaches the model to answer when nothing is to be said: nothing may be added to it. */
export const isSilent = (reply: string) => reply.trim() === "[SILENT]";

/** A model that did not answer, and why. */
export interface FailedModel {
  ref: string;
  failure: Pick<ModelFailure, "message" | "detail">;
}

export function toOutcome(attempt: Attempt, notes: readonly string[], mostRounds: number): AgentOutcome {
  switch (attempt.type) {
    case "answered": {
      const text = attempt.reply || "(The model gave an empty answer. Ask again, or in other words.)";
      return { stopReason: attempt.stopReason, reply: [text, ...notes.map((note) => `_${note}_`)].join("\n\n") };
    }
    case "aborted":
      return { stopReason: "aborted", reply: "" };
    case "endless": {
      if (attempt.tool !== undefined) {
        const text = `I stopped: I kept calling ${attempt.tool} with the same result and did not get any further. Tell me what to try instead.`;
        return failed(text, `the same call of ${attempt.tool} again and again`);
      }
      const text = `I stopped after ${mostRounds} rounds of tools without coming to an end. Say "go on" if I should continue.`;
      return failed(text, `more than ${mostRounds} rounds in one turn`);
    }
    case "over_budget":
      return failed(attempt.verdict.type === "refused" ? attempt.verdict.message : attempt.verdict.note, "over budget");
    case "failed":
      return failed(attempt.failure.message, `${attempt.failure.reason}: ${attempt.failure.detail}`);
  }
}

/** The first failure is the one to act upon; the rest only says that nothing else helped. */
export function toFailure(failures: readonly FailedModel[]): AgentOutcome {
  const [first, ...rest] = failures;
  if (!first) return failed("There is no model to ask.", "no candidate");
  const also = rest.length === 0 ? "" : ` ${rest.map(({ ref }) => ref).join(", ")} could not stand in either.`;
  const detail = failures.map(({ ref, failure }) => `${ref}: ${failure.detail}`).join("; ");
  return failed(`${first.failure.message}${also} Your message is kept.`, detail);
}

const failed = (errorMessage: string, errorDetail: string): AgentOutcome => ({
  stopReason: "error",
  reply: "",
  errorMessage,
  errorDetail,
});
