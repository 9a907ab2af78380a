/**
 * Asks through pi-ai: our request to its context, its events to ours. Shared by every provider that goes over the wire;
 * a provider adds its wire format, its models and its key.
 */
import type {
  Api,
  AssistantMessageEvent,
  Context,
  Model,
  Message as PiHistoryMessage,
  AssistantMessage as PiMessage,
  ProviderHeaders,
  SimpleStreamOptions,
} from "@earendil-works/pi-ai";
import { isContextOverflow } from "@earendil-works/pi-ai/utils/overflow";
import { normalizeContext } from "@earendil-works/pi-ai/utils/transcript";
import type { AssistantMessage, ModelInfo, ModelMessage } from "../../contracts/model.ts";
import type { FailureFacts, ProviderCall, ProviderDeps, ProviderEvent } from "../provider.ts";
import { removeSecrets } from "../remove-secrets.ts";
import type { SeenResponse } from "./observe-fetch.ts";
import { readRetryHint } from "./retry-hint.ts";
import type { CallAuth, Wire } from "./wire.ts";

export interface PiEndpoint {
  wire: Wire;
  /** Undefined when the endpoint has no such model. */
  toPiModel(model: ModelInfo): Model<Api> | undefined;
  headers: Readonly<Record<string, string>>;
  /** Variables that the client reads before those of the process. */
  env?: Readonly<Record<string, string>>;
}

/** Milliseconds that an SDK waits beyond our own limit: ours must be the one that is met. */
const sdkGraceMs = 60_000;

const ownIdentity = { "User-Agent": "mom" };

export async function* askThroughPi(
  endpoint: PiEndpoint,
  deps: ProviderDeps,
  call: ProviderCall,
): AsyncGenerator<ProviderEvent> {
  const model = endpoint.toPiModel(call.model);
  if (model === undefined) {
    yield { type: "failed", facts: { text: `model not found: ${call.model.ref}`, status: 404 } };
    return;
  }
  const auth = endpoint.wire.authorize(call.credential);
  if (auth.type === "refused") {
    yield { type: "failed", facts: { text: auth.reason } };
    return;
  }
  const seen: SeenResponse = {};
  const options = { ...buildOptions(endpoint, deps, call, auth), ...endpoint.wire.watch(deps, seen) };
  for await (const event of endpoint.wire.streams.streamSimple(model, toPiContext(call), options)) {
    const ours = toProviderEvent(event, (message) => toFailed(message, endpoint.wire, seen, call), call);
    if (ours !== undefined) yield ours;
  }
}

function buildOptions(
  endpoint: PiEndpoint,
  deps: ProviderDeps,
  call: ProviderCall,
  auth: Extract<CallAuth, { type: "ready" }>,
): SimpleStreamOptions {
  const options: SimpleStreamOptions = {
    headers: buildHeaders(endpoint, auth),
    signal: call.signal,
    sessionId: call.sessionId,
    timeoutMs: deps.timeoutMs + sdkGraceMs,
    // Retries are made outside, where they can be told and aborted.
    maxRetries: 0,
    // Set, because pi-ai would otherwise ask the environment.
    cacheRetention: "short",
  };
  if (auth.apiKey !== undefined) options.apiKey = auth.apiKey;
  if (endpoint.env !== undefined) options.env = { ...endpoint.env };
  if (call.thinking !== "off") options.reasoning = call.thinking;
  if (call.maxOutputTokens !== undefined) options.maxTokens = call.maxOutputTokens;
  return options;
}

function buildHeaders(endpoint: PiEndpoint, auth: Extract<CallAuth, { type: "ready" }>): ProviderHeaders {
  const headers = { ...(auth.hasOwnIdentity ? {} : ownIdentity), ...auth.headers, ...endpoint.headers };
  if (!endpoint.wire.hasLowerCaseHeaders) return headers;
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function toPiContext(call: ProviderCall) {
  const context: Context = {
    systemPrompt: call.system,
    messages: call.messages.map(toPiMessage),
    tools: call.tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
  };
  return normalizeContext(context);
}

/** Same shape on both sides; only pi-ai's type wants JSON where ours says unknown. Passed on as it is, never copied. */
function toPiMessage(message: ModelMessage): PiHistoryMessage {
  return message as PiHistoryMessage;
}

/** The live message. Its `stopReason` may read `pending` until the end, as everything else in it may still change. */
function fromPiMessage(message: PiMessage): AssistantMessage {
  return message as AssistantMessage;
}

function toProviderEvent(
  event: AssistantMessageEvent,
  fail: (message: PiMessage) => ProviderEvent,
  call: ProviderCall,
): ProviderEvent | undefined {
  switch (event.type) {
    case "start":
      return { type: "start", partial: fromPiMessage(event.partial) };
    case "text_delta":
    case "thinking_delta": {
      const { type, delta, contentIndex } = event;
      return { type, delta, contentIndex, partial: fromPiMessage(event.partial) };
    }
    case "toolcall_start":
    case "toolcall_delta":
    case "toolcall_end":
      return { type: "toolcall_delta", contentIndex: event.contentIndex, partial: fromPiMessage(event.partial) };
    case "done":
      return isAnswer(event.message, call.model.contextWindow)
        ? { type: "done", message: fromPiMessage(event.message) }
        : fail(event.message);
    case "error":
      return fail(event.error);
    default:
      return undefined;
  }
}

function isAnswer(message: PiMessage, contextWindow: number): boolean {
  if (message.stopReason === "length") return !isContextOverflow(message, contextWindow);
  return message.stopReason === "stop" || message.stopReason === "toolUse";
}

function toFailed(message: PiMessage, wire: Wire, seen: SeenResponse, call: ProviderCall): ProviderEvent {
  const words = message.errorMessage ?? `stopped with ${message.stopReason}`;
  const text = removeSecrets(words, call.credential === undefined ? [] : [call.credential.secret]);
  const facts: FailureFacts = {
    ...seen,
    ...wire.readFailure?.(text),
    text,
    overflow: isContextOverflow(message, call.model.contextWindow),
  };
  const hintMs = facts.retryAfterMs === undefined ? readRetryHint(text) : undefined;
  return { type: "failed", facts: hintMs === undefined ? facts : { ...facts, retryAfterMs: hintMs } };
}
