/**
 * A fake of OpenAI's API: Chat Completions (what every compatible server speaks) and Responses, streaming, on loopback.
 * Scripted as `model-server.ts` describes: `await createOpenAiServer({ respond: [{ type: "answer", text: "hi" }] })`.
 */
import {
  createModelServer,
  type ModelServer,
  type Script,
  type ScriptedAnswer,
  type ScriptedUsage,
  sseFrame,
  toDeltas,
  type WireErrors,
} from "./model-server.ts";

/** `url` ends in `/v1`, as clients want it. */
export async function createOpenAiServer(options: { respond: Script }): Promise<ModelServer> {
  const server = await createModelServer(options.respond, (answer, request, n) => {
    if (request.path.endsWith("/responses")) return toResponsesFrames(answer, request.body.model, n);
    return toCompletionsFrames(answer, request.body.model, n);
  });
  return { ...server, url: `${server.url}/v1` };
}

export function toCompletionsFrames(answer: ScriptedAnswer, model: unknown, n: number): string[] {
  const chunk = (delta: object, finishReason: string | null = null) =>
    sseFrame({
      id: `chatcmpl-${n}`,
      object: "chat.completion.chunk",
      created: 0,
      model,
      choices: [{ index: 0, delta, finish_reason: finishReason }],
    });
  const calls = answer.toolCalls ?? [];
  const usage = answer.usage ?? { input: 10, output: 5 };
  return [
    chunk({ role: "assistant", content: "" }),
    ...(answer.thinking === undefined ? [] : [chunk({ reasoning_content: answer.thinking })]),
    ...toDeltas(answer.text).map((text) => chunk({ content: text })),
    ...calls.map((call, index) =>
      chunk({
        tool_calls: [
          {
            index,
            id: call.id ?? `call_${n}_${index}`,
            type: "function",
            function: { name: call.name, arguments: "" },
          },
        ],
      }),
    ),
    // Arguments of parallel calls arrive interleaved, in two halves each.
    ...[0, 1].flatMap((half) =>
      calls.map((call, index) =>
        chunk({ tool_calls: [{ index, function: { arguments: splitInTwo(JSON.stringify(call.arguments))[half] } }] }),
      ),
    ),
    chunk({}, calls.length > 0 ? "tool_calls" : answer.length ? "length" : "stop"),
    sseFrame({
      id: `chatcmpl-${n}`,
      object: "chat.completion.chunk",
      created: 0,
      model,
      choices: [],
      usage: {
        prompt_tokens: usage.input + (usage.cacheRead ?? 0),
        completion_tokens: usage.output,
        total_tokens: usage.input + (usage.cacheRead ?? 0) + usage.output,
        prompt_tokens_details: { cached_tokens: usage.cacheRead ?? 0 },
      },
    }),
    sseFrame("[DONE]"),
  ];
}

function toResponsesFrames(answer: ScriptedAnswer, model: unknown, n: number): string[] {
  let sequence = 0;
  const event = (type: string, fields: object) => sseFrame({ type, sequence_number: sequence++, ...fields }, type);
  const response = { id: `resp_${n}`, object: "response", model, output: [] };
  const deltas = toDeltas(answer.text);
  const calls = answer.toolCalls ?? [];
  const usage = answer.usage ?? { input: 10, output: 5 };
  const message = { id: `msg_${n}`, type: "message", role: "assistant" };
  const frames = [event("response.created", { response: { ...response, status: "in_progress" } })];
  let items = 0;
  if (answer.thinking !== undefined) {
    const output_index = items++;
    const item = { id: `rs_${n}`, type: "reasoning", summary: [], encrypted_content: "c2VhbGVk" };
    const part = { type: "summary_text", text: answer.thinking };
    const at = { item_id: item.id, output_index, summary_index: 0 };
    frames.push(
      event("response.output_item.added", { output_index, item }),
      event("response.reasoning_summary_part.added", { ...at, part: { ...part, text: "" } }),
      event("response.reasoning_summary_text.delta", { ...at, delta: answer.thinking }),
      event("response.reasoning_summary_part.done", { ...at, part }),
      event("response.output_item.done", { output_index, item: { ...item, summary: [part] } }),
    );
  }
  if (deltas.length > 0) {
    const output_index = items++;
    const content = [{ type: "output_text", text: deltas.join(""), annotations: [] }];
    frames.push(
      event("response.output_item.added", {
        output_index,
        item: { ...message, status: "in_progress", content: [] },
      }),
      ...deltas.map((delta) =>
        event("response.output_text.delta", { item_id: message.id, output_index, content_index: 0, delta }),
      ),
      event("response.output_item.done", { output_index, item: { ...message, status: "completed", content } }),
    );
  }
  for (const [index, call] of calls.entries()) {
    const output_index = items++;
    const item = {
      id: `fc_${n}_${index}`,
      type: "function_call",
      call_id: call.id ?? `call_${n}_${index}`,
      name: call.name,
    };
    const text = JSON.stringify(call.arguments);
    frames.push(
      event("response.output_item.added", { output_index, item: { ...item, status: "in_progress", arguments: "" } }),
      ...splitInTwo(text).map((delta) =>
        event("response.function_call_arguments.delta", { item_id: item.id, output_index, delta }),
      ),
      event("response.output_item.done", { output_index, item: { ...item, status: "completed", arguments: text } }),
    );
  }
  const ending = answer.length
    ? { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }
    : { status: "completed" };
  const end = { ...response, ...ending, usage: toResponsesUsage(usage) };
  frames.push(event(answer.length ? "response.incomplete" : "response.completed", { response: end }));
  return frames;
}

function toResponsesUsage(usage: ScriptedUsage) {
  const input = usage.input + (usage.cacheRead ?? 0);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cacheRead ?? 0 },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + usage.output,
  };
}

function splitInTwo(text: string): [string, string] {
  const middle = Math.floor(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}

const error = (status: number, fields: { type: string; code?: string; message: string }, headers = {}) => ({
  type: "status" as const,
  status,
  headers,
  body: JSON.stringify({ error: { param: null, code: null, ...fields } }),
});

export const openAiErrors: WireErrors = {
  unauthorized: (key) =>
    error(401, {
      type: "invalid_request_error",
      code: "invalid_api_key",
      message: `Incorrect API key provided: ${key}. You can find your API key at https://platform.openai.com/account/api-keys.`,
    }),
  forbidden: error(403, {
    type: "request_forbidden",
    code: "unsupported_country_region_territory",
    message: "Country, region, or territory not supported",
  }),
  noCredit: error(429, {
    type: "insufficient_quota",
    code: "insufficient_quota",
    message: "You exceeded your current quota, please check your plan and billing details.",
  }),
  rateLimit: error(429, {
    type: "requests",
    code: "rate_limit_exceeded",
    message: "Rate limit reached on requests per min.",
  }),
  rateLimitFor7s: error(429, {
    type: "requests",
    code: "rate_limit_exceeded",
    message: "Rate limit reached on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 7s.",
  }),
  fault: error(500, {
    type: "server_error",
    message: "The server had an error while processing your request. Sorry about that!",
  }),
  overloaded: error(503, {
    type: "server_error",
    message: "The engine is currently overloaded, please try again later",
  }),
  badRequest: error(400, { type: "invalid_request_error", message: "Invalid value for 'messages'." }),
  unknownModel: error(404, {
    type: "invalid_request_error",
    code: "model_not_found",
    message: "The model `gpt-nothing` does not exist or you do not have access to it.",
  }),
  overflow: error(400, {
    type: "invalid_request_error",
    code: "context_length_exceeded",
    message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
  }),
};
