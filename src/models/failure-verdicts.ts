/**
 * What a failed model call can mean: the reason, what is to be done about it (`rule`), whether the same request has a
 * chance a little later, and the words for the person who asked. `failure.ts` picks one.
 */
import type { FailureRule, ModelFailureReason } from "../contracts/model.ts";
import type { FailureFacts } from "./provider.ts";

export interface Verdict {
  reason: ModelFailureReason;
  rule: FailureRule;
  /** The same request may succeed a little later. */
  retryable: boolean;
  /** For the person. Gets the model's name, never the provider's words. */
  say(ref: string, facts: FailureFacts): string;
}

export const verdicts = {
  overflow: {
    reason: "context_overflow",
    rule: "compact",
    retryable: false,
    say: (ref) =>
      `This conversation has become too long for ${ref}. Start a new one with /new, or choose a model with a larger window.`,
  },
  billing: {
    reason: "billing",
    rule: "rotate",
    retryable: false,
    say: (ref) => `The account behind ${ref} has no credit left. Its owner must top it up, or choose another model.`,
  },
  auth: {
    reason: "auth",
    rule: "rotate",
    retryable: false,
    say: (ref) => `${ref} did not accept mom's API key. The operator should check the key; "mom doctor" tests it.`,
  },
  rateLimit: {
    reason: "rate_limit",
    rule: "rotate",
    retryable: true,
    say: (ref, facts) =>
      `${ref} is receiving too many requests right now. Please try again ${formatWait(facts.retryAfterMs)}.`,
  },
  overloaded: {
    reason: "overloaded",
    rule: "fall_back",
    retryable: true,
    say: (ref) => `${ref} is overloaded or has a fault at its provider. Please try again in a few minutes.`,
  },
  tooBig: {
    reason: "overloaded",
    rule: "fall_back",
    retryable: false,
    say: (ref) => `${ref} needs more memory than its machine has. The operator should choose a smaller model.`,
  },
  slow: {
    reason: "timeout",
    rule: "fall_back",
    retryable: true,
    say: (ref) => `${ref} took too long to answer. Please try again.`,
  },
  unreachable: {
    reason: "timeout",
    rule: "fall_back",
    retryable: true,
    say: (ref) =>
      `mom could not reach ${ref}. Please try again; if it goes on, the operator should check the network and the address of the provider.`,
  },
  dropped: {
    reason: "timeout",
    rule: "fall_back",
    retryable: true,
    say: (ref) => `The connection to ${ref} broke in the middle of its answer. Please try again.`,
  },
  malformed: {
    reason: "format",
    rule: "fall_back",
    retryable: true,
    say: (ref) =>
      `${ref} sent an answer that mom could not read. Please try again; if it goes on, the operator should check the address and API of the provider.`,
  },
  unknownModel: {
    reason: "format",
    rule: "fall_back",
    retryable: false,
    say: (ref) =>
      `The provider does not offer ${ref}. The operator should choose another model ("mom models list" shows them).`,
  },
  noTools: {
    reason: "format",
    rule: "fall_back",
    retryable: false,
    say: (ref) => `${ref} cannot use tools, which mom needs. The operator should choose another model.`,
  },
  badRequest: {
    reason: "format",
    rule: "fall_back",
    retryable: false,
    say: (ref) =>
      `${ref} refused the request as it was sent. Start a new conversation with /new; if it goes on, the operator will find the reason in the log.`,
  },
  declined: {
    reason: "unknown",
    rule: "give_up",
    retryable: false,
    say: (ref) => `${ref} declined to answer this. Please put it in other words.`,
  },
  unknown: {
    reason: "unknown",
    rule: "fall_back",
    retryable: false,
    say: (ref) =>
      `${ref} could not answer because of an unexpected error. Please try again; the operator will find the details in the log.`,
  },
} satisfies Record<string, Verdict>;

function formatWait(retryAfterMs: number | undefined): string {
  if (retryAfterMs === undefined) return "in a few minutes";
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  if (seconds < 120) return `in ${seconds} seconds`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? `in ${minutes} minutes` : `in about ${Math.ceil(minutes / 60)} hours`;
}
