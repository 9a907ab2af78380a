/**
 * A fake of Anthropic's Messages API, streaming, on loopback. Scripted as `model-server.ts` describes:
 * `await createAnthropicServer({ respond: [{ type: "answer", text: "hi" }] })`.
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

export function createAnthropicServer(options: { respond: Script }): Promise<ModelServer> {
  return createModelServer(options.respond, (answer, request, n) => toFrames(answer, request.body.model, n));
}

function toFrames(answer: ScriptedAnswer, model: unknown, n: number): string[] {
  const event = (type: string, fields: object) => sseFrame({ type, ...fields }, type);
  const deltas = toDeltas(answer.text);
  const calls = answer.toolCalls ?? [];
  const usage = answer.usage ?? { input: 10, output: 5 };
  const inputUsage = {
    input_tokens: usage.input,
    cache_read_input_tokens: usage.cacheRead ?? 0,
    cache_creation_input_tokens: usage.cacheWrite ?? 0,
  };
  const message = { id: `msg_${n}`, type: "message", role: "assistant", model, content: [], stop_reason: null };
  const frames = [event("message_start", { message: { ...message, usage: { ...inputUsage, output_tokens: 0 } } })];
  let blocks = 0;
  if (answer.thinking !== undefined) {
    const index = blocks++;
    frames.push(
      event("content_block_start", { index, content_block: { type: "thinking", thinking: "", signature: "" } }),
      event("content_block_delta", { index, delta: { type: "thinking_delta", thinking: answer.thinking } }),
      event("content_block_delta", { index, delta: { type: "signature_delta", signature: "c2lnbmVk" } }),
      event("content_block_stop", { index }),
    );
  }
  if (deltas.length > 0) {
    const index = blocks++;
    frames.push(
      event("content_block_start", { index, content_block: { type: "text", text: "" } }),
      ...deltas.map((text) => event("content_block_delta", { index, delta: { type: "text_delta", text } })),
      event("content_block_stop", { index }),
    );
  }
  for (const [position, call] of calls.entries()) {
    const index = blocks++;
    const block = { type: "tool_use", id: call.id ?? `toolu_${n}_${position}`, name: call.name, input: {} };
    const text = JSON.stringify(call.arguments);
    const middle = Math.floor(text.length / 2);
    frames.push(
      event("content_block_start", { index, content_block: block }),
      ...[text.slice(0, middle), text.slice(middle)].map((partial_json) =>
        event("content_block_delta", { index, delta: { type: "input_json_delta", partial_json } }),
      ),
      event("content_block_stop", { index }),
    );
  }
  const stopReason = calls.length > 0 ? "tool_use" : answer.length ? "max_tokens" : "end_turn";
  frames.push(
    event("message_delta", { delta: { stop_reason: stopReason }, usage: { output_tokens: usage.output } }),
    event("message_stop", {}),
  );
  return frames;
}

const error = (status: number, type: string, message: string, headers: Record<string, string> = {}) => ({
  type: "status" as const,
  status,
  headers,
  body: JSON.stringify({ type: "error", error: { type, message }, request_id: "req_011" }),
});

export const anthropicErrors: WireErrors = {
  unauthorized: (key) => error(401, "authentication_error", `invalid x-api-key: ${key}`),
  forbidden: error(403, "permission_error", "Your API key does not have permission to use the specified resource."),
  noCredit: error(
    400,
    "invalid_request_error",
    "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
  ),
  rateLimit: error(429, "rate_limit_error", "This request would exceed your organization's rate limit."),
  rateLimitFor7s: error(429, "rate_limit_error", "This request would exceed your organization's rate limit.", {
    "retry-after": "7",
  }),
  fault: error(500, "api_error", "Internal server error"),
  overloaded: error(529, "overloaded_error", "Overloaded"),
  badRequest: error(400, "invalid_request_error", "messages.0.content: Input should be a valid list"),
  unknownModel: error(404, "not_found_error", "model: claude-nothing"),
  overflow: error(400, "invalid_request_error", "prompt is too long: 213462 tokens > 200000 maximum"),
};
