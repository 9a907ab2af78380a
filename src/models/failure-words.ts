/** The words of providers and what they mean. Read by `failure.ts`: all of them where there is no status, some beside one. */
import { type Verdict, verdicts } from "./failure-verdicts.ts";

/** No credit, in the words of OpenAI, Anthropic, DeepSeek, OpenRouter, xAI, AWS … */
const noCredit =
  /insufficient[_ ](quota|balance|credits?|funds)|billing|credit balance|exceeded your current quota|payment required|INVALID_PAYMENT_INSTRUMENT|(used|out of|requires more) (all )?(available )?credits/i;

/** Gemini says "check your plan and billing details" for every limit; only these are about money. */
const googleLimit = /RESOURCE_EXHAUSTED/;
const googleMoney = /prepay|credits? (are|is|have been|has been) depleted|BILLING_DISABLED/i;

export function saysNoCredit(text: string): boolean {
  return googleLimit.test(text) ? googleMoney.test(text) : noCredit.test(text) || googleMoney.test(text);
}

const wrongKey =
  /authentication_error|permission_error|invalid.{0,3}api.?key|incorrect api key|API[_ ]KEY[_ ](INVALID|not valid|expired)|UNAUTHENTICATED|PERMISSION_DENIED|UnrecognizedClientException|ExpiredToken|AccessDeniedException|security token|could not load credentials|token is expired|sso session/i;
const unknownModel =
  /model_not_found|model identifier is invalid|could not resolve the foundation model|is not found for API version|model .{1,80} not found/i;
const noTools =
  /does not support (tools|tool use|function call)|tool use .{0,20}not supported|No endpoints found that support tool use/i;
const tooBig = /requires more system memory|CUDA.{0,20}out of memory/i;

/** A refused request that is about something else than the request. */
export const refusals: readonly (readonly [RegExp, Verdict])[] = [
  [wrongKey, verdicts.auth],
  [unknownModel, verdicts.unknownModel],
  [noTools, verdicts.noTools],
  [/ServiceQuotaExceeded|throttl|rate.?limit/i, verdicts.rateLimit],
];

/** A fault of the server that is not load. */
export const faults: readonly (readonly [RegExp, Verdict])[] = [[tooBig, verdicts.tooBig]];

/** Where the words are all there is; the first match wins. */
export const words: readonly (readonly [RegExp, Verdict])[] = [
  ...faults,
  [
    /overloaded|server_error|"api_error"|internal server error|service unavailable|model stream error|"?UNAVAILABLE\b|server busy|ModelNotReady/i,
    verdicts.overloaded,
  ],
  [/rate.?limit|too many requests|throttl|RESOURCE_EXHAUSTED|ServiceQuotaExceeded/i, verdicts.rateLimit],
  [wrongKey, verdicts.auth],
  [
    /content_filter|content_filtered|guardrail_intervened|refused to complete|refusal|stopped with: (sensitive|SAFETY|BLOCKLIST|PROHIBITED_CONTENT|SPII|RECITATION|IMAGE_)/i,
    verdicts.declined,
  ],
  [unknownModel, verdicts.unknownModel],
  [noTools, verdicts.noTools],
  [/stopped with: (MALFORMED|UNEXPECTED_TOOL_CALL|TOO_MANY_TOOL_CALLS)/, verdicts.malformed],
  [/invalid_request_error|INVALID_ARGUMENT|validation error:/i, verdicts.badRequest],
  [/timed? ?out|DEADLINE_EXCEEDED/i, verdicts.slow],
  [/fetch failed|http2 request did not get a response/i, verdicts.unreachable],
  [
    /terminated|socket hang up|connection error|network_error|premature close|other side closed|^aborted$/i,
    verdicts.dropped,
  ],
  [
    /ended (without|before)|unexpected token|not valid json|could not parse|json|no body|event message|event stream/i,
    verdicts.malformed,
  ],
];

export function pickByWords(rules: readonly (readonly [RegExp, Verdict])[], text: string): Verdict | undefined {
  return rules.find(([pattern]) => pattern.test(text))?.[1];
}
