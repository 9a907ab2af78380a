/**
 * A fake of OpenAI's API: Chat Completions (what every compatible server speaks) and Responses, streaming, on loopback.
 * Scripted as `model-server.ts` describes: `await createOpenAiServer({ respond: [{ type: "answer", text: "hi" }] })`.
 */
import {
  createModelServer,
  type ModelServer,
  type Script,
  type ScriptedAnswer,
  sseFrame,
  toDeltas,
} from "./model-server.ts";

/** `url` ends in `/v1`, as clients want it. */
export async function createOpenAiServer(options: { respond: Script }): Promise<ModelServer> {
  const server = await createModelServer(options.respond, (answer, request, n) => {
    if (request.path.endsWith("/responses")) return toResponsesFrames(answer, request.body.model, n);
    return toCompletionsFrames(answer, request.body.model, n);
  });
  return { ...server, url: `${server.url}/v1` };
}

function toCompletionsFrames(answer: ScriptedAnswer, model: unknown, n: number): string[] {
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
  if (deltas.length > 0) {
    const content = [{ type: "output_text", text: deltas.join(""), annotations: [] }];
    frames.push(
      event("response.output_item.added", {
        output_index: 0,
        item: { ...message, status: "in_progress", content: [] },
      }),
      ...deltas.map((delta) =>
        event("response.output_text.delta", { item_id: message.id, output_index: 0, content_index: 0, delta }),
      ),
      event("response.output_item.done", { output_index: 0, item: { ...message, status: "completed", content } }),
    );
  }
  for (const [index, call] of calls.entries()) {
    const output_index = index + (deltas.length > 0 ? 1 : 0);
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

function toResponsesUsage(usage: { input: number; output: number; cacheRead?: number }) {
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
