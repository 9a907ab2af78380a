/** A provider made of pi-ai parts: models by id and a wire format. What all but ollama and offline have in common. */
import type { Api, Model } from "@earendil-works/pi-ai";
import type { Provider, ProviderDeps, ProviderSettings } from "../provider.ts";
import { askThroughPi, type PiEndpoint } from "./pi-ask.ts";
import { toModelInfo } from "./pi-model.ts";
import type { Wire } from "./wire.ts";

export interface PiProviderParts {
  settings: ProviderSettings;
  wire: Wire;
  models: readonly Model<Api>[];
  defaultModel: string;
  /** Variables that the client reads before those of the process. */
  env?: Readonly<Record<string, string>>;
}

export function createPiProvider(parts: PiProviderParts, deps: ProviderDeps): Provider {
  const { settings, wire, defaultModel } = parts;
  const byId = new Map(parts.models.map((model) => [model.id, model]));
  const models = parts.models.map(toModelInfo);
  const endpoint: PiEndpoint = { wire, toPiModel: ({ id }) => byId.get(id), headers: settings.headers };
  if (parts.env !== undefined) endpoint.env = parts.env;
  return {
    name: settings.name,
    api: wire.api,
    defaultModel,
    secrets: Object.values(settings.headers),
    list: async () => models,
    ask: (call) => askThroughPi(endpoint, deps, call),
  };
}
