/** A provider made of pi-ai parts: models by id, a key, a wire format. What anthropic, openai and custom have in common. */
import type { Api, Model, ProviderHeaders, ProviderStreams } from "@earendil-works/pi-ai";
import type { Provider, ProviderDeps } from "../provider.ts";
import { askThroughPi } from "./pi-ask.ts";
import { toModelInfo } from "./pi-model.ts";

export interface PiProviderParts {
  name: string;
  api: string;
  streams: ProviderStreams;
  models: readonly Model<Api>[];
  defaultModel: string;
  /** Absent: the endpoint needs no key, and none is sent. */
  apiKey?: string;
  headers: Record<string, string>;
}

/** How the two wire formats carry a key; taken out again where there is none. */
const keyHeaders: ProviderHeaders = { Authorization: null, "X-Api-Key": null };

export function createPiProvider(parts: PiProviderParts, deps: ProviderDeps): Provider {
  const byId = new Map(parts.models.map((model) => [model.id, model]));
  const endpoint = {
    streams: parts.streams,
    toPiModel: (id: string) => byId.get(id),
    // The SDKs refuse to start without one.
    apiKey: parts.apiKey ?? "none",
    headers: { "User-Agent": "mom", ...(parts.apiKey === undefined ? keyHeaders : {}), ...parts.headers },
  };
  return {
    name: parts.name,
    api: parts.api,
    models: parts.models.map(toModelInfo),
    defaultModel: parts.defaultModel,
    secrets: [...(parts.apiKey === undefined ? [] : [parts.apiKey]), ...Object.values(parts.headers)],
    ask: (call) => askThroughPi(endpoint, deps, call),
  };
}
