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

/** How much a model thinks before it answers; providers map it to their own scale. */
export type ThinkingLevel = "off" | "low" | "medium" | "high";

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
  /** A planner without language of its own: it cannot be asked for a summary. Absent: a real model. */
  isPlanner?: true;
}

/** What a tool looks like to a model. */
export interface ToolDeclaration {
  name: string;
  description: string;
  /** JSON Schema. */
  parameters: object;
}

/** Why a model gave no answer; each reason has one rule (`FailureRule`). */
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

/**
 * What is to be done about a failure that waiting a little does not mend. `rotate`: another key of the same provider, then
 * another model. `fall_back`: another model at once. `compact`: shorten the conversation. `give_up`: tell the person.
 * Rotation is done behind `ModelProvider.stream`; who calls it sees `rotate` only when no key was left.
 */
export type FailureRule = "rotate" | "fall_back" | "compact" | "give_up";

export interface ModelFailure {
  reason: ModelFailureReason;
  rule: FailureRule;
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
  /** Absent: off. Levels that the model lacks are mapped to the nearest it has; a model without reasoning ignores it. */
  thinking?: ThinkingLevel;
  /** Tokens. Absent: as many as the model may. */
  maxOutputTokens?: number;
  /** The auth profile that the session used last: tried first while it is usable, so that provider caches hit. */
  preferredProfile?: string;
  /** Told when a key failed and the next one is tried. Ids only, never keys. */
  onRotate?(rotation: { from: string; to: string; failure: ModelFailure }): void;
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
  result(): Promise<{
    message: AssistantMessage;
    failure?: ModelFailure /** Auth profile that answered. */;
    profile?: string;
  }>;
}

export interface ModelProvider {
  /** The model for `ref` (a name, an alias, or undefined for the default). A failure names the fix. */
  resolve(ref?: string): Promise<{ type: "model"; model: ModelInfo } | { type: "unavailable"; message: string }>;
  /**
   * Asks the model. Never throws: every failure is in the stream's result. Retries in place and rotates through the
   * provider's auth profiles by policy (spec 4.2), before the first event only.
   */
  stream(request: ModelRequest): ModelStream;
  /** Everything that could be chosen now. */
  list(): Promise<ModelInfo[]>;
  /** Every provider that is known, and how it stands with keys. */
  status(): Promise<ProviderStatus[]>;
  /** Short names, as configured. */
  aliases(): Readonly<Record<string, string>>;
  /** Does the chosen model answer? One small request, for `mom doctor`. */
  check(model: ModelInfo, signal: AbortSignal): Promise<{ ok: boolean; detail: string }>;
  /** Writes down what was kept in memory about the use of keys. Calls that run go on. May be called twice. */
  close(): Promise<void>;
}

export interface ProviderStatus {
  name: string;
  /** Could be asked now. */
  usable: boolean;
  /** Why not, and what to do. */
  missing?: string;
  /** In the order in which they would be tried. Empty for a provider that needs no key. */
  profiles: ProfileStatus[];
}

export interface ProfileStatus {
  id: string;
  type: "api_key" | "token" | "oauth";
  /** `auth.json`, or where else the key comes from. Those cannot be removed by mom. */
  from: "auth.json" | "config" | "environment";
  state: "ready" | "cooling" | "disabled" | "expired";
  /** Milliseconds since the epoch: when it is usable again. */
  until?: number;
  reason?: string;
  lastUsed?: number;
  /** Models that cool down on this profile alone. */
  coolingModels: { model: string; until: number }[];
}
