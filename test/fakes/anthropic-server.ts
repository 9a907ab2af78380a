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
    cache_creation_input_tokens: 0,
  };
  const message = { id: `msg_${n}`, type: "message", role: "assistant", model, content: [], stop_reason: null };
  const frames = [event("message_start", { message: { ...message, usage: { ...inputUsage, output_tokens: 0 } } })];
  if (deltas.length > 0) {
    frames.push(
      event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
      ...deltas.map((text) => event("content_block_delta", { index: 0, delta: { type: "text_delta", text } })),
      event("content_block_stop", { index: 0 }),
    );
  }
  for (const [position, call] of calls.entries()) {
    const index = position + (deltas.length > 0 ? 1 : 0);
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
