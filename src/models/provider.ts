/**
 * The room's inner port: one endpoint that can be asked once. Providers speak their wire format and report what they saw;
 * retries, timeouts and the words for people are decided outside (`ask-with-retries.ts`, `failure.ts`).
 */
import type { Clock } from "../contracts/clock.ts";
import type { ModelEvent, ModelInfo, ModelMessage, ToolDeclaration } from "../contracts/model.ts";
import type { ModelSettings } from "./config.ts";

export type FetchFunction = typeof globalThis.fetch;

export interface ProviderDeps {
  clock: Clock;
  fetch: FetchFunction;
  /** The longest silence that is waited for, milliseconds; inner limits of an SDK must lie beyond it. */
  timeoutMs: number;
}

export interface ProviderSettings {
  name: string;
  api?: "openai-completions" | "anthropic-messages";
  baseUrl?: string;
  apiKey?: string;
  headers: Record<string, string>;
  models: readonly ModelSettings[];
}

export interface ProviderCall {
  model: ModelInfo;
  system: string;
  messages: readonly ModelMessage[];
  tools: readonly ToolDeclaration[];
  signal: AbortSignal;
  sessionId: string;
  /** Tokens; absent means as many as the model may. */
  maxOutputTokens?: number;
}

/** What was seen of a failed call. Facts only: `failure.ts` alone says what they mean. */
export interface FailureFacts {
  /** The provider's or the network's words. */
  text: string;
  status?: number;
  retryAfterMs?: number;
  contentType?: string;
  /** Node's code when the connection itself failed, e.g. `ECONNREFUSED`. */
  networkCode?: string;
  /** The words are known to mean that the conversation does not fit the model. */
  overflow?: boolean;
}

export type ProviderEvent = ModelEvent | { type: "failed"; facts: FailureFacts };

export interface Provider {
  readonly name: string;
  /** As it stands in the transcript. */
  readonly api: string;
  readonly models: readonly ModelInfo[];
  /** Id of the model to take when nobody chose one. */
  readonly defaultModel: string;
  /** Never to be shown to anyone. */
  readonly secrets: readonly string[];
  /**
   * Asks once. Ends with `done` or `failed`, also after `signal` aborts; throws only on a bug. `partial` of the events is
   * one live object.
   */
  ask(call: ProviderCall): AsyncIterable<ProviderEvent>;
}
