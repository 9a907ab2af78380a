/** An answer in the model's place that no model gave: notes of the house, and ends of a loop without a request. */
import type { AssistantMessage } from "../contracts/model.ts";

export function buildOwnAnswer(parts: {
  text?: string;
  stopReason: AssistantMessage["stopReason"];
  nowMs: number;
}): AssistantMessage {
  const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  return {
    role: "assistant",
    content: parts.text === undefined ? [] : [{ type: "text", text: parts.text }],
    api: "mom",
    provider: "mom",
    model: "none",
    usage: { ...none, totalTokens: 0, cost: { ...none, total: 0 } },
    stopReason: parts.stopReason,
    timestamp: parts.nowMs,
  };
}
