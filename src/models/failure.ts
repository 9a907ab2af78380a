/**
 * The one place that says what a failed model call means: facts from the edge become a reason, a rule, words for the
 * person who asked (what happened, what to do), words for the operator, and whether another try has a chance.
 */
import type { ModelFailure } from "../contracts/model.ts";
import { type Verdict, verdicts } from "./failure-verdicts.ts";
import { faults, pickByWords, refusals, saysNoCredit, words } from "./failure-words.ts";
import type { FailureFacts } from "./provider.ts";
import { removeSecrets } from "./remove-secrets.ts";

export interface ClassifiedFailure {
  failure: ModelFailure;
  /** The same request may succeed a little later. */
  retryable: boolean;
}

export interface FailureContext {
  /** `provider/model`. */
  ref: string;
  secrets: readonly string[];
}

const maxDetailLength = 600;

export function classifyFailure(facts: FailureFacts, context: FailureContext): ClassifiedFailure {
  const verdict = pickVerdict(facts);
  const failure: ModelFailure = {
    reason: verdict.reason,
    rule: verdict.rule,
    message: verdict.say(context.ref, facts),
    detail: formatDetail(facts, context),
  };
  if (facts.status !== undefined) failure.status = facts.status;
  if (facts.retryAfterMs !== undefined) failure.retryAfterMs = facts.retryAfterMs;
  return { failure, retryable: verdict.retryable };
}

/** The call was ended on request: nothing went wrong. */
export function buildAbortedFailure(ref: string): ModelFailure {
  return {
    reason: "aborted",
    rule: "give_up",
    message: "Stopped, as asked.",
    detail: `The call to ${ref} was aborted.`,
  };
}

/** Nothing came for `timeoutMs`. */
export function buildSilenceFacts(timeoutMs: number): FailureFacts {
  return { text: `timed out: nothing received for ${timeoutMs} ms` };
}

function pickVerdict(facts: FailureFacts): Verdict {
  if (facts.overflow) return verdicts.overflow;
  if (facts.networkCode !== undefined)
    return facts.networkCode === "UND_ERR_HEADERS_TIMEOUT" ? verdicts.slow : verdicts.unreachable;
  const status = facts.status ?? 0;
  // A 200 is only the beginning of an answer: what went wrong afterwards is in the text.
  return status >= 400 ? pickByStatus(status, facts.text) : pickByText(facts);
}

function pickByStatus(status: number, text: string): Verdict {
  if (status === 402 || (status < 500 && saysNoCredit(text))) return verdicts.billing;
  if (status === 401 || status === 403) return verdicts.auth;
  if (status === 404) return verdicts.unknownModel;
  if (status === 408) return verdicts.slow;
  // Bedrock's 429 also means that a model is still being started.
  if (status === 429) return /ModelNotReady/.test(text) ? verdicts.overloaded : verdicts.rateLimit;
  // 424 is Bedrock's for a fault in the model itself.
  if (status === 409 || status === 424 || status >= 500) return pickByWords(faults, text) ?? verdicts.overloaded;
  return pickByWords(refusals, text) ?? verdicts.badRequest;
}

function pickByText(facts: FailureFacts): Verdict {
  if (facts.status === 200 && !isEventStream(facts)) return verdicts.malformed;
  if (saysNoCredit(facts.text)) return verdicts.billing;
  return pickByWords(words, facts.text) ?? verdicts.unknown;
}

/** `text/event-stream`, or `application/vnd.amazon.eventstream`. */
function isEventStream({ contentType }: FailureFacts): boolean {
  return contentType === undefined || /event-?stream/.test(contentType);
}

function formatDetail(facts: FailureFacts, context: FailureContext): string {
  const seen = [
    facts.status === undefined ? undefined : `HTTP ${facts.status}`,
    facts.networkCode,
    facts.status === 200 && !isEventStream(facts) ? `${facts.contentType} instead of an event stream` : undefined,
  ].filter((part) => part !== undefined);
  const head = [context.ref, ...seen].join(", ");
  const text = removeSecrets(facts.text, context.secrets).replaceAll(/\s+/g, " ").trim();
  const cut = text.length > maxDetailLength ? `${text.slice(0, maxDetailLength)}…` : text;
  return `${head}: ${cut || "no further words"}`;
}
