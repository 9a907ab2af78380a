/**
 * Language models as the agent sees them. The message shapes are those of the transcript format (`context.jsonl`,
 * coding-agent session version 3), so that nothing is converted between what is stored and what is sent.
 */
export interface TextContent {
  type: "text";
  text: string;
}
export interface ImageContent {
  type: "image";
  /** Base64. */
  data: string;
  mimeType: string;
}
export interface ThinkingContent {
  type: "thinking";
  thinking: string;
  /** Provider's signature, kept as it is; needed to send the block back. */
  thinkingSignature?: string;
}
export interface ToolCall {
  type: "toolCall";
  id: string;
  name: string;
  arguments: Record<string, unknown>;
}

export interface Usage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  totalTokens: number;
  /** US dollars. */
  cost: { input: number; output: number; cacheRead: number; cacheWrite: number; total: number };
}

export interface UserMessage {
  role: "user";
  content: string | (TextContent | ImageContent)[];
  timestamp: number;
}
export interface AssistantMessage {
  role: "assistant";
  content: (TextContent | ThinkingContent | ToolCall)[];
  api: string;
  provider: string;
  model: string;
  usage: Usage;
  stopReason: "stop" | "length" | "toolUse" | "error" | "aborted";
  errorMessage?: string;
  timestamp: number;
}
export interface ToolResultMessage {
  role: "toolResult";
  toolCallId: string;
  toolName: string;
  content: (TextContent | ImageContent)[];
  /** For the UI, never sent to the model. JSON. */
  details?: unknown;
  isError: boolean;
  timestamp: number;
}
export type ModelMessage = UserMessage | AssistantMessage | ToolResultMessage;

export interface ModelInfo {
  /** `provider/model`. */
  ref: string;
  provider: string;
  id: string;
  /** Tokens. */
  contextWindow: number;
  maxOutputTokens: number;
  input: ("text" | "image")[];
  reasoning: boolean;
  /** US dollars per million tokens. */
  price: { input: number; output: number; cacheRead: number; cacheWrite: number };
}

/** What a tool looks like to a model. */
export interface ToolDeclaration {
  name: string;
  description: string;
  /** JSON Schema. */
  parameters: object;
}

/** Why a model gave no answer; each reason has one rule (spec 4.2). */
export type ModelFailureReason =
  | "auth"
  | "rate_limit"
  | "billing"
  | "overloaded"
  | "timeout"
  | "format"
  | "context_overflow"
  | "aborted"
  | "unknown";

export interface ModelFailure {
  reason: ModelFailureReason;
  /** For the operator: what the provider said, secrets removed. */
  detail: string;
  /** For the person who asked: what happened and what to do. */
  message: string;
  status?: number;
  retryAfterMs?: number;
}

export interface ModelRequest {
  model: ModelInfo;
  system: string;
  messages: ModelMessage[];
  tools: ToolDeclaration[];
  /** Aborts the call at once; the stream then ends with `stopReason: "aborted"`. */
  signal: AbortSignal;
  /** Keeps provider prompt caches warm. */
  sessionId: string;
  /** Told before each wait for another try in place. */
  onRetry?(retry: { attempt: number; maxAttempts: number; delayMs: number; failure: ModelFailure }): void;
}

/** `partial` is live: it goes on changing. Copy what must be kept. */
export type ModelEvent =
  | { type: "start"; partial: AssistantMessage }
  | { type: "text_delta"; delta: string; contentIndex: number; partial: AssistantMessage }
  | { type: "thinking_delta"; delta: string; contentIndex: number; partial: AssistantMessage }
  | { type: "toolcall_delta"; contentIndex: number; partial: AssistantMessage }
  | { type: "done"; message: AssistantMessage };

export interface ModelStream extends AsyncIterable<ModelEvent> {
  /** The finished message. On failure it has `stopReason` `error` or `aborted`, and `failure` says why. Never rejects. */
  result(): Promise<{ message: AssistantMessage; failure?: ModelFailure }>;
}

export interface ModelProvider {
  /** The model for `ref` (a name, an alias, or undefined for the default). A failure names the fix. */
  resolve(ref?: string): Promise<{ type: "model"; model: ModelInfo } | { type: "unavailable"; message: string }>;
  /** Asks the model. Never throws: every failure is in the stream's result. Retries in place by policy, before the first event only. */
  stream(request: ModelRequest): ModelStream;
  /** Everything that could be chosen now. */
  list(): Promise<ModelInfo[]>;
  /** Does the chosen model answer? One small request, for `mom doctor`. */
  check(model: ModelInfo, signal: AbortSignal): Promise<{ ok: boolean; detail: string }>;
}
