/**
 * A fake of Gemini's streamGenerateContent on loopback. Scripted as `model-server.ts` describes:
 * `await createGoogleServer({ respond: [{ type: "answer", text: "hi" }] })`.
 */
import {
  createModelServer,
  type ModelServer,
  type Script,
  type ScriptedAnswer,
  sseFrame,
  toDeltas,
  type WireErrors,
} from "./model-server.ts";

/** Must come back with the call it was given for. */
export const thoughtSignature = "dGhvdWdodHM=";

/** `url` ends in `/v1beta`, as clients want it. */
export async function createGoogleServer(options: { respond: Script }): Promise<ModelServer> {
  const server = await createModelServer(options.respond, toFrames);
  return { ...server, url: `${server.url}/v1beta` };
}

function toFrames(answer: ScriptedAnswer, _request: unknown, n: number): string[] {
  const calls = answer.toolCalls ?? [];
  const usage = answer.usage ?? { input: 10, output: 5 };
  const cached = usage.cacheRead ?? 0;
  const chunk = (parts: object[], rest: object = {}) =>
    sseFrame({
      responseId: `response-${n}`,
      candidates: [{ index: 0, content: { role: "model", parts }, ...rest }],
    });
  return [
    ...(answer.thinking === undefined ? [] : [chunk([{ text: answer.thinking, thought: true }])]),
    ...toDeltas(answer.text).map((text) => chunk([{ text }])),
    // Gemini sends calls whole, and all of them in one piece.
    ...(calls.length === 0 ? [] : [chunk(calls.map((call) => toPart(call)))]),
    sseFrame({
      responseId: `response-${n}`,
      candidates: [
        { index: 0, content: { role: "model", parts: [] }, finishReason: answer.length ? "MAX_TOKENS" : "STOP" },
      ],
      usageMetadata: {
        promptTokenCount: usage.input + cached,
        cachedContentTokenCount: cached,
        candidatesTokenCount: usage.output,
        totalTokenCount: usage.input + cached + usage.output,
      },
    }),
  ];
}

function toPart(call: { id?: string; name: string; arguments: object }): object {
  const functionCall = { name: call.name, args: call.arguments, ...(call.id === undefined ? {} : { id: call.id }) };
  return { functionCall, thoughtSignature };
}

const error = (code: number, status: string, message: string, details: object[] = []) => ({
  type: "status" as const,
  status: code,
  body: JSON.stringify({ error: { code, message, status, details } }),
});

const quota =
  "You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.";

export const googleErrors: WireErrors = {
  unauthorized: (key) =>
    error(400, "INVALID_ARGUMENT", `API key not valid. Please pass a valid API key. (${key})`, [
      { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID", domain: "googleapis.com" },
    ]),
  forbidden: error(403, "PERMISSION_DENIED", "Your API key was reported as leaked. Please use another API key."),
  noCredit: error(403, "PERMISSION_DENIED", "This API method requires billing to be enabled.", [
    { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "BILLING_DISABLED", domain: "googleapis.com" },
  ]),
  rateLimit: error(429, "RESOURCE_EXHAUSTED", quota),
  rateLimitFor7s: error(429, "RESOURCE_EXHAUSTED", quota, [
    { "@type": "type.googleapis.com/google.rpc.QuotaFailure", violations: [{ quotaId: "RequestsPerMinute" }] },
    { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "7s" },
  ]),
  fault: error(500, "INTERNAL", "An internal error has occurred. Please retry or report."),
  overloaded: error(503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
  badRequest: error(400, "INVALID_ARGUMENT", "Invalid JSON payload received. Unknown name: Cannot find field."),
  unknownModel: error(
    404,
    "NOT_FOUND",
    "models/gemini-nothing is not found for API version v1beta, or is not supported for generateContent.",
  ),
  overflow: error(
    400,
    "INVALID_ARGUMENT",
    "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
  ),
};
