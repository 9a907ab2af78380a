/** Model descriptions: from pi-ai's catalogue or the configuration to the port's, and from the configuration to pi-ai's. */
import type { Api, Model } from "@earendil-works/pi-ai";
import type { ModelInfo } from "../../contracts/model.ts";
import type { ModelSettings } from "../config.ts";

export interface Endpoint {
  api: Api;
  provider: string;
  baseUrl: string;
}

const free = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

export function toModelInfo(model: Model<Api>): ModelInfo {
  const { input, output, cacheRead, cacheWrite } = model.cost;
  return {
    ref: `${model.provider}/${model.id}`,
    provider: model.provider,
    id: model.id,
    contextWindow: model.contextWindow,
    maxOutputTokens: model.maxTokens,
    input: model.input,
    reasoning: model.reasoning,
    price: { input, output, cacheRead, cacheWrite },
  };
}

export function buildPiModel(settings: ModelSettings, endpoint: Endpoint): Model<Api> {
  return {
    id: settings.id,
    name: settings.id,
    api: endpoint.api,
    provider: endpoint.provider,
    baseUrl: endpoint.baseUrl,
    reasoning: settings.reasoning,
    input: settings.input,
    cost: settings.price ?? free,
    contextWindow: settings.contextWindow,
    maxTokens: settings.maxOutputTokens,
  };
}

/** What an endpoint told of a model, or what was kept of it, back to pi-ai's. */
export function fromModelInfo(model: ModelInfo, endpoint: Endpoint): Model<Api> {
  const { id, contextWindow, input, reasoning, price, maxOutputTokens } = model;
  return buildPiModel({ id, contextWindow, input, reasoning, price, maxOutputTokens }, endpoint);
}

/** What OpenAI's own servers understand is more than the rest of the world does: everyone else gets the older form. */
export const olderCompletions = {
  supportsStore: false,
  supportsDeveloperRole: false,
  maxTokensField: "max_tokens",
} as const;
