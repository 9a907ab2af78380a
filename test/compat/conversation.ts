/** The messages that the compatibility scripts put into transcripts. */
import type { AssistantMessage, ToolResultMessage, UserMessage } from "../../src/contracts/model.ts";

const usage = {
  input: 10,
  output: 5,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 15,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};
/** Milliseconds since the epoch; the same in every run. */
const timestamp = 1_767_323_045_000;

export const user = (text: string): UserMessage => ({ role: "user", content: text, timestamp });

export const answer = (...content: AssistantMessage["content"]): AssistantMessage => ({
  role: "assistant",
  content,
  api: "anthropic-messages",
  provider: "anthropic",
  model: "model-1",
  usage,
  stopReason: content.some(({ type }) => type === "toolCall") ? "toolUse" : "stop",
  timestamp,
});

export const text = (value: string) => ({ type: "text" as const, text: value });
export const thought = (value: string) => ({
  type: "thinking" as const,
  thinking: value,
  thinkingSignature: "c2lnbmF0dXJl",
});
export const call = (id: string, path: string) => ({
  type: "toolCall" as const,
  id,
  name: "read",
  arguments: { path },
});

export const result = (toolCallId: string, value: string): ToolResultMessage => ({
  role: "toolResult",
  toolCallId,
  toolName: "read",
  content: [text(value)],
  details: { lines: 1 },
  isError: false,
  timestamp,
});
