/** The events of a running turn, as far as the chat shows them. They come as plain records; what does not fit is `other`. */
export type AgentEvent =
  | { type: "agent_start"; model: string }
  | { type: "agent_end" }
  | { type: "message_start" }
  | { type: "text_delta"; delta: string }
  | { type: "thinking_delta"; delta: string }
  | { type: "message_end"; text: string; hasToolCalls: boolean }
  | { type: "tool_execution_start"; toolCallId: string; toolName: string; label: string; args: Record<string, unknown> }
  | { type: "tool_execution_update"; toolCallId: string; text: string }
  | {
      type: "tool_execution_end";
      toolCallId: string;
      toolName: string;
      label: string;
      text: string;
      details: unknown;
      durationMs: number;
      isError: boolean;
    }
  | { type: "approval_request"; toolCallId: string }
  | { type: "approval_end"; toolCallId: string }
  | { type: "auto_retry_start"; attempt: number; maxAttempts: number; delayMs: number; reason: string }
  | { type: "auto_retry_end" }
  | { type: "auto_compaction_start" }
  | { type: "auto_compaction_end"; tokensBefore: number; tokensAfter: number }
  | { type: "model_fallback"; from: string; to: string; reason: string }
  | { type: "steered" }
  | { type: "error"; message: string }
  | { type: "other" };

type Fields = Readonly<Record<string, unknown>>;

export function parseAgentEvent(event: Fields): AgentEvent {
  const parse = parsers[text(event, "type") as keyof typeof parsers];
  return Object.hasOwn(parsers, text(event, "type")) ? parse(event) : { type: "other" };
}

const parsers = {
  agent_start: (event: Fields) => ({ type: "agent_start", model: text(event, "model") }),
  agent_end: () => ({ type: "agent_end" }),
  message_start: () => ({ type: "message_start" }),
  text_delta: (event: Fields) => ({ type: "text_delta", delta: text(event, "delta") }),
  thinking_delta: (event: Fields) => ({ type: "thinking_delta", delta: text(event, "delta") }),
  message_end: (event: Fields) => ({
    type: "message_end",
    text: text(event, "text"),
    hasToolCalls: event["hasToolCalls"] === true,
  }),
  tool_execution_start: (event: Fields) => ({
    type: "tool_execution_start",
    toolCallId: text(event, "toolCallId"),
    toolName: text(event, "toolName"),
    label: text(event, "label"),
    args: toRecord(event["args"]),
  }),
  tool_execution_update: (event: Fields) => ({
    type: "tool_execution_update",
    toolCallId: text(event, "toolCallId"),
    text: text(event, "text"),
  }),
  tool_execution_end: (event: Fields) => ({
    type: "tool_execution_end",
    toolCallId: text(event, "toolCallId"),
    toolName: text(event, "toolName"),
    label: text(event, "label"),
    text: text(event, "text"),
    details: event["details"],
    durationMs: number(event, "durationMs"),
    isError: event["isError"] === true,
  }),
  approval_request: (event: Fields) => ({
    type: "approval_request",
    toolCallId: text(event, "toolCallId"),
  }),
  approval_end: (event: Fields) => ({ type: "approval_end", toolCallId: text(event, "toolCallId") }),
  auto_retry_start: (event: Fields) => ({
    type: "auto_retry_start",
    attempt: number(event, "attempt"),
    maxAttempts: number(event, "maxAttempts"),
    delayMs: number(event, "delayMs"),
    reason: text(event, "reason"),
  }),
  auto_retry_end: () => ({ type: "auto_retry_end" }),
  auto_compaction_start: () => ({ type: "auto_compaction_start" }),
  auto_compaction_end: (event: Fields) => ({
    type: "auto_compaction_end",
    tokensBefore: number(event, "tokensBefore"),
    tokensAfter: number(event, "tokensAfter"),
  }),
  model_fallback: (event: Fields) => ({
    type: "model_fallback",
    from: text(event, "from"),
    to: text(event, "to"),
    reason: text(event, "reason"),
  }),
  steered: () => ({ type: "steered" }),
  error: (event: Fields) => ({ type: "error", message: text(event, "message") }),
} as const satisfies Record<string, (event: Fields) => AgentEvent>;

function text(fields: Fields, key: string): string {
  const value = fields[key];
  return typeof value === "string" ? value : "";
}

function number(fields: Fields, key: string): number {
  const value = fields[key];
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

export const toRecord = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
