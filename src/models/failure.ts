/**
 * The one place that says what a failed model call means: facts from the edge become a reason, words for the person who
 * asked (what happened, what to do), words for the operator, and whether another try has a chance.
 */
import type { ModelFailure, ModelFailureReason } from "../contracts/model.ts";
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

interface Verdict {
  reason: ModelFailureReason;
  retryable: boolean;
  /** For the person. Gets the model's name, never the provider's words. */
  say(ref: string, facts: FailureFacts): string;
}

const maxDetailLength = 600;

const verdicts = {
  overflow: {
    reason: "context_overflow",
    retryable: false,
    say: (ref) =>
      `This conversation has become too long for ${ref}. Start a new one with /new, or choose a model with a larger window.`,
  },
  billing: {
    reason: "billing",
    retryable: false,
    say: (ref) => `The account behind ${ref} has no credit left. Its owner must top it up, or choose another model.`,
  },
  auth: {
    reason: "auth",
    retryable: false,
    say: (ref) => `${ref} did not accept mom's API key. The operator should check the key; "mom doctor" tests it.`,
  },
  rateLimit: {
    reason: "rate_limit",
    retryable: true,
    say: (ref, facts) =>
      `${ref} is receiving too many requests right now. Please try again ${formatWait(facts.retryAfterMs)}.`,
  },
  overloaded: {
    reason: "overloaded",
    retryable: true,
    say: (ref) => `${ref} is overloaded or has a fault at its provider. Please try again in a few minutes.`,
  },
  slow: {
    reason: "timeout",
    retryable: true,
    say: (ref) => `${ref} took too long to answer. Please try again.`,
  },
  unreachable: {
    reason: "timeout",
    retryable: true,
    say: (ref) =>
      `mom could not reach ${ref}. Please try again; if it goes on, the operator should check the network and the address of the provider.`,
  },
  dropped: {
    reason: "timeout",
    retryable: true,
    say: (ref) => `The connection to ${ref} broke in the middle of its answer. Please try again.`,
  },
  malformed: {
    reason: "format",
    retryable: true,
    say: (ref) =>
      `${ref} sent an answer that mom could not read. Please try again; if it goes on, the operator should check the address and API of the provider.`,
  },
  unknownModel: {
    reason: "format",
    retryable: false,
    say: (ref) =>
      `The provider does not offer ${ref}. The operator should choose another model ("mom models list" shows them).`,
  },
  badRequest: {
    reason: "format",
    retryable: false,
    say: (ref) =>
      `${ref} refused the request as it was sent. Start a new conversation with /new; if it goes on, the operator will find the reason in the log.`,
  },
  declined: {
    reason: "unknown",
    retryable: false,
    say: (ref) => `${ref} declined to answer this. Please put it in other words.`,
  },
  unknown: {
    reason: "unknown",
    retryable: false,
    say: (ref) =>
      `${ref} could not answer because of an unexpected error. Please try again; the operator will find the details in the log.`,
  },
} satisfies Record<string, Verdict>;

/** Words of providers that mean the same whatever the status; the first match wins. */
const textRules: readonly (readonly [RegExp, Verdict])[] = [
  [/insufficient_quota|billing|credit balance|exceeded your current quota|payment required/i, verdicts.billing],
  [/overloaded|server_error|"api_error"|internal server error|service unavailable/i, verdicts.overloaded],
  [/rate.?limit|too many requests/i, verdicts.rateLimit],
  [/authentication_error|permission_error|invalid.{0,3}api.?key|incorrect api key/i, verdicts.auth],
  [/content_filter|refused to complete|refusal|stopped with: sensitive/i, verdicts.declined],
  [/invalid_request_error/i, verdicts.badRequest],
  [/timed? ?out/i, verdicts.slow],
  [/terminated|socket hang up|connection error|network_error|premature close|other side closed/i, verdicts.dropped],
  [/ended (without|before)|unexpected token|not valid json|could not parse|json|no body/i, verdicts.malformed],
];

export function classifyFailure(facts: FailureFacts, context: FailureContext): ClassifiedFailure {
  const verdict: Verdict = pickVerdict(facts);
  const failure: ModelFailure = {
    reason: verdict.reason,
    message: verdict.say(context.ref, facts),
    detail: formatDetail(facts, context),
  };
  if (facts.status !== undefined) failure.status = facts.status;
  if (facts.retryAfterMs !== undefined) failure.retryAfterMs = facts.retryAfterMs;
  return { failure, retryable: verdict.retryable };
}

/** The call was ended on request: nothing went wrong. */
export function buildAbortedFailure(ref: string): ModelFailure {
  return { reason: "aborted", message: "Stopped, as asked.", detail: `The call to ${ref} was aborted.` };
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
  const saysBilling = textRules[0]?.[0].test(text) ?? false;
  if (status === 402 || (saysBilling && status < 500)) return verdicts.billing;
  if (status === 401 || status === 403) return verdicts.auth;
  if (status === 404) return verdicts.unknownModel;
  if (status === 408) return verdicts.slow;
  if (status === 429) return verdicts.rateLimit;
  if (status === 409 || status >= 500) return verdicts.overloaded;
  return verdicts.badRequest;
}

function pickByText(facts: FailureFacts): Verdict {
  const isEventStream = facts.contentType === undefined || facts.contentType.includes("event-stream");
  if (facts.status === 200 && !isEventStream) return verdicts.malformed;
  return textRules.find(([pattern]) => pattern.test(facts.text))?.[1] ?? verdicts.unknown;
}

function formatDetail(facts: FailureFacts, context: FailureContext): string {
  const seen = [
    facts.status === undefined ? undefined : `HTTP ${facts.status}`,
    facts.networkCode,
    facts.status === 200 && facts.contentType !== undefined && !facts.contentType.includes("event-stream")
      ? `${facts.contentType} instead of an event stream`
      : undefined,
  ].filter((part) => part !== undefined);
  const head = [context.ref, ...seen].join(", ");
  const text = removeSecrets(facts.text, context.secrets).replaceAll(/\s+/g, " ").trim();
  const cut = text.length > maxDetailLength ? `${text.slice(0, maxDetailLength)}…` : text;
  return `${head}: ${cut || "no further words"}`;
}

function formatWait(retryAfterMs: number | undefined): string {
  if (retryAfterMs === undefined) return "in a few minutes";
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  if (seconds < 120) return `in ${seconds} seconds`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? `in ${minutes} minutes` : `in about ${Math.ceil(minutes / 60)} hours`;
}
