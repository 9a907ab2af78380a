/**
 * The message that stands for an answer that did not come, or not to its end. A copy: the live one still belongs to the
 * provider's code, which may go on changing it for a moment.
 */
import type { AssistantMessage, ModelFailure, ModelInfo, Usage } from "../contracts/model.ts";

export interface FailedCall {
  model: ModelInfo;
  api: string;
  failure: ModelFailure;
  nowMs: number;
}

/** `errorMessage` is what the person is told: the provider's own words stay out of the transcript. */
export function buildFailedMessage(call: FailedCall, partial: AssistantMessage | undefined): AssistantMessage {
  return {
    role: "assistant",
    content: (partial?.content ?? []).map(copyBlock),
    api: call.api,
    provider: call.model.provider,
    model: call.model.id,
    usage: partial === undefined ? emptyUsage() : { ...partial.usage, cost: { ...partial.usage.cost } },
    stopReason: call.failure.reason === "aborted" ? "aborted" : "error",
    errorMessage: call.failure.message,
    timestamp: call.nowMs,
  };
}

export function emptyUsage(): Usage {
  return {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
}

/** The fields of the contract only: a half-read block carries scratch buffers of the reader. */
function copyBlock(block: AssistantMessage["content"][number]): AssistantMessage["content"][number] {
  if (block.type === "text") return { type: "text", text: block.text };
  if (block.type === "toolCall") {
    return { type: "toolCall", id: block.id, name: block.name, arguments: structuredClone(block.arguments) };
  }
  const copy = { type: block.type, thinking: block.thinking };
  return block.thinkingSignature === undefined ? copy : { ...copy, thinkingSignature: block.thinkingSignature };
}
