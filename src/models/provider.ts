/**
 * The room's inner port: one endpoint that can be asked once. Providers speak their wire format and report what they saw;
 * retries, timeouts and the words for people are decided outside (`ask-with-retries.ts`, `failure.ts`).
 */
import type { Clock } from "../contracts/clock.ts";
import type { ModelEvent, ModelInfo, ModelMessage, ThinkingLevel, ToolDeclaration } from "../contracts/model.ts";
import type { EndpointApi, ModelSettings } from "./config.ts";

export type FetchFunction = typeof globalThis.fetch;

export interface ProviderDeps {
  clock: Clock;
  /** How providers are reached. The SDKs of google and bedrock bring their own way and do not use it. */
  fetch: FetchFunction;
  /** The longest silence that is waited for, milliseconds; inner limits of an SDK must lie beyond it. */
  timeoutMs: number;
}

export interface ProviderSettings {
  name: string;
  api?: EndpointApi;
  baseUrl?: string;
  /** Bedrock only. */
  region?: string;
  /** Bedrock only: the `AWS_…` variables that say who asks, and where. */
  env?: Readonly<Record<string, string>>;
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
  thinking: ThinkingLevel;
  /** Absent: the endpoint needs none, and none is sent. */
  credential?: CallCredential;
  /** Tokens; absent means as many as the model may. */
  maxOutputTokens?: number;
}

/** What a call authenticates with: a key, or a login's access token. */
export interface CallCredential {
  type: "api_key" | "token" | "oauth";
  secret: string;
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
  /** Id of the model to take when nobody chose one. Absent: the first of the list. */
  readonly defaultModel?: string;
  /** Never to be shown to anyone. The credential of a call is not among them: it is taken out of `facts` by `ask` itself. */
  readonly secrets: readonly string[];
  /**
   * What it offers now, best choice first; empty when nothing answers. A table for most; a local server is asked, for a
   * moment only, and the result kept for a while. Never rejects.
   */
  list(): Promise<readonly ModelInfo[]>;
  /**
   * Asks once. Ends with `done` or `failed`, also after `signal` aborts; throws only on a bug. `partial` of the events is
   * one live object.
   */
  ask(call: ProviderCall): AsyncIterable<ProviderEvent>;
}
