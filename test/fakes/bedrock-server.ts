/**
 * A fake of AWS Bedrock's ConverseStream on loopback, in the binary framing of AWS event streams. Scripted as
 * `model-server.ts` describes: `await createBedrockServer({ respond: [{ type: "answer", text: "hi" }] })`.
 */
import { crc32 } from "node:zlib";
import {
  createModelServer,
  type ModelServer,
  type Script,
  type ScriptedAnswer,
  toDeltas,
  type WireErrors,
} from "./model-server.ts";

export function createBedrockServer(options: { respond: Script; http2?: boolean }): Promise<ModelServer> {
  return createModelServer(options.respond, toFrames, {
    contentType: "application/vnd.amazon.eventstream",
    http2: options.http2 ?? false,
  });
}

function toFrames(answer: ScriptedAnswer): Uint8Array[] {
  const calls = answer.toolCalls ?? [];
  const usage = answer.usage ?? { input: 10, output: 5 };
  const deltas = toDeltas(answer.text);
  const frames = [eventFrame("messageStart", { role: "assistant" })];
  let blocks = 0;
  const delta = (contentBlockIndex: number, content: object) =>
    eventFrame("contentBlockDelta", { contentBlockIndex, delta: content });
  const stop = (contentBlockIndex: number) => eventFrame("contentBlockStop", { contentBlockIndex });
  if (answer.thinking !== undefined) {
    const index = blocks++;
    frames.push(
      delta(index, { reasoningContent: { text: answer.thinking } }),
      delta(index, { reasoningContent: { signature: "c2lnbmVk" } }),
      stop(index),
    );
  }
  if (deltas.length > 0) {
    const index = blocks++;
    frames.push(...deltas.map((text) => delta(index, { text })), stop(index));
  }
  for (const [position, call] of calls.entries()) {
    const index = blocks++;
    const toolUse = { toolUseId: call.id ?? `tooluse_${position}`, name: call.name };
    const input = JSON.stringify(call.arguments);
    const middle = Math.floor(input.length / 2);
    frames.push(
      eventFrame("contentBlockStart", { contentBlockIndex: index, start: { toolUse } }),
      ...[input.slice(0, middle), input.slice(middle)].map((part) => delta(index, { toolUse: { input: part } })),
      stop(index),
    );
  }
  const stopReason = calls.length > 0 ? "tool_use" : answer.length ? "max_tokens" : "end_turn";
  const cache = { cacheReadInputTokens: usage.cacheRead ?? 0, cacheWriteInputTokens: usage.cacheWrite ?? 0 };
  const totalTokens = usage.input + usage.output + cache.cacheReadInputTokens + cache.cacheWriteInputTokens;
  const counted = { inputTokens: usage.input, outputTokens: usage.output, totalTokens, ...cache };
  frames.push(
    eventFrame("messageStop", { stopReason }),
    eventFrame("metadata", { usage: counted, metrics: { latencyMs: 1 } }),
  );
  return frames;
}

const eventFrame = (type: string, payload: object): Uint8Array =>
  encodeFrame({ ":message-type": "event", ":event-type": type, ":content-type": "application/json" }, payload);

/** A stream that began well and ended with an error. */
export const buildBrokenStream = (type: string, message: string): Uint8Array =>
  Buffer.concat([
    eventFrame("messageStart", { role: "assistant" }),
    encodeFrame(
      { ":message-type": "exception", ":exception-type": type, ":content-type": "application/json" },
      { message },
    ),
  ]);

/** Lengths and their checksum, headers, payload, checksum of it all; numbers in network order. */
function encodeFrame(headers: Record<string, string>, payload: object): Uint8Array {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => encodeHeader(name, value)));
  const body = Buffer.from(JSON.stringify(payload));
  const frame = Buffer.alloc(12 + head.length + body.length + 4);
  frame.writeUInt32BE(frame.length, 0);
  frame.writeUInt32BE(head.length, 4);
  frame.writeUInt32BE(crc32(frame.subarray(0, 8)), 8);
  head.copy(frame, 12);
  body.copy(frame, 12 + head.length);
  frame.writeUInt32BE(crc32(frame.subarray(0, frame.length - 4)), frame.length - 4);
  return frame;
}

/** The type of every header here is 7, a string. */
function encodeHeader(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from([7]), length, Buffer.from(value)]);
}

const error = (status: number, type: string, message: string, headers: Record<string, string> = {}) => ({
  type: "status" as const,
  status,
  headers: { "x-amzn-errortype": `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/`, ...headers },
  body: JSON.stringify({ message }),
});

export const bedrockErrors: WireErrors = {
  unauthorized: (key) =>
    error(403, "UnrecognizedClientException", `The security token included in the request is invalid: ${key}`),
  forbidden: error(403, "AccessDeniedException", "You don't have access to the model with the specified model ID."),
  noCredit: error(
    403,
    "AccessDeniedException",
    "Model access is denied due to INVALID_PAYMENT_INSTRUMENT:A valid payment instrument must be provided.",
  ),
  rateLimit: error(429, "ThrottlingException", "Too many requests, please wait before trying again."),
  rateLimitFor7s: error(429, "ThrottlingException", "Too many requests, please wait before trying again.", {
    "retry-after": "7",
  }),
  fault: error(500, "InternalServerException", "The system encountered an unexpected error during processing."),
  overloaded: error(503, "ServiceUnavailableException", "Bedrock is unable to process your request."),
  badRequest: error(400, "ValidationException", "A conversation must start with a user message."),
  unknownModel: error(400, "ValidationException", "The provided model identifier is invalid."),
  overflow: error(400, "ValidationException", "Input is too long for requested model."),
};
