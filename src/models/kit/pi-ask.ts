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
  ProviderStreams,
  SimpleStreamOptions,
} from "@earendil-works/pi-ai";
import { isContextOverflow } from "@earendil-works/pi-ai/utils/overflow";
import { normalizeContext } from "@earendil-works/pi-ai/utils/transcript";
import type { AssistantMessage, ModelMessage } from "../../contracts/model.ts";
import type { ProviderCall, ProviderDeps, ProviderEvent } from "../provider.ts";
import { observeFetch, type SeenResponse } from "./observe-fetch.ts";

export interface PiEndpoint {
  streams: ProviderStreams;
  /** Undefined when the endpoint has no such model. */
  toPiModel(id: string): Model<Api> | undefined;
  apiKey: string;
  /** A null takes a header away that the SDK would send. */
  headers: ProviderHeaders;
}

/** Milliseconds that an SDK waits beyond our own limit: ours must be the one that is met. */
const sdkGraceMs = 60_000;

export async function* askThroughPi(
  endpoint: PiEndpoint,
  deps: ProviderDeps,
  call: ProviderCall,
): AsyncGenerator<ProviderEvent> {
  const model = endpoint.toPiModel(call.model.id);
  if (model === undefined) {
    yield { type: "failed", facts: { text: `model not found: ${call.model.ref}`, status: 404 } };
    return;
  }
  const seen: SeenResponse = {};
  const options: SimpleStreamOptions = {
    apiKey: endpoint.apiKey,
    headers: endpoint.headers,
    signal: call.signal,
    sessionId: call.sessionId,
    fetch: observeFetch(deps.fetch, deps.clock, seen),
    timeoutMs: deps.timeoutMs + sdkGraceMs,
    // Retries are made outside, where they can be told and aborted.
    maxRetries: 0,
    // Set, because pi-ai would otherwise ask the environment.
    cacheRetention: "short",
  };
  if (call.maxOutputTokens !== undefined) options.maxTokens = call.maxOutputTokens;
  for await (const event of endpoint.streams.streamSimple(model, toPiContext(call), options)) {
    const ours = toProviderEvent(event, seen, call.model.contextWindow);
    if (ours !== undefined) yield ours;
  }
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
  seen: SeenResponse,
  contextWindow: number,
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
      return toEnd(event.message, seen, contextWindow);
    case "error":
      return toFailed(event.error, seen, contextWindow);
    default:
      return undefined;
  }
}

function toEnd(message: PiMessage, seen: SeenResponse, contextWindow: number): ProviderEvent {
  const isSilentOverflow = message.stopReason === "length" && isContextOverflow(message, contextWindow);
  const isAnswer = message.stopReason === "stop" || message.stopReason === "length" || message.stopReason === "toolUse";
  return isSilentOverflow || !isAnswer
    ? toFailed(message, seen, contextWindow)
    : { type: "done", message: fromPiMessage(message) };
}

function toFailed(message: PiMessage, seen: SeenResponse, contextWindow: number): ProviderEvent {
  const text = message.errorMessage ?? `stopped with ${message.stopReason}`;
  return { type: "failed", facts: { ...seen, text, overflow: isContextOverflow(message, contextWindow) } };
}
