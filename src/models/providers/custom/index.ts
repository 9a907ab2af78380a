/** Any endpoint that speaks one of the two common wire formats: a local server, a gateway, another vendor. */
import type { Api, Model } from "@earendil-works/pi-ai";
import { anthropicMessagesApi } from "@earendil-works/pi-ai/api/anthropic-messages.lazy";
import { openAICompletionsApi } from "@earendil-works/pi-ai/api/openai-completions.lazy";
import { ConfigError } from "../../../base/errors.ts";
import type { ModelSettings } from "../../config.ts";
import { buildPiModel, type Endpoint } from "../../kit/pi-model.ts";
import { createPiProvider } from "../../kit/pi-provider.ts";
import type { Provider, ProviderDeps, ProviderSettings } from "../../provider.ts";

export function createCustomProvider(deps: ProviderDeps, settings: ProviderSettings): Provider {
  const { name, api, baseUrl } = settings;
  const defaultModel = settings.models[0]?.id;
  if (api === undefined || baseUrl === undefined || defaultModel === undefined) {
    throw new ConfigError("MODEL_PROVIDER_INCOMPLETE", `The model provider "${name}" is not fully described.`, {
      hint: `Give models.providers.${name} an "api", a "baseUrl" and at least one entry in "models".`,
    });
  }
  const isAnthropic = api === "anthropic-messages";
  const endpoint = { api, provider: name, baseUrl: isAnthropic ? withoutVersion(baseUrl) : baseUrl };
  const toModel = isAnthropic ? buildPiModel : buildCompatibleModel;
  const streams = isAnthropic ? anthropicMessagesApi() : openAICompletionsApi();
  const models = settings.models.map((model) => toModel(model, endpoint));
  return createPiProvider({ ...settings, api, streams, models, defaultModel }, deps);
}

/** The Messages client adds `/v1/messages` itself; people copy addresses with and without it. */
function withoutVersion(baseUrl: string): string {
  return baseUrl.replace(/\/+(v1\/*)?$/, "");
}

/** What OpenAI's own servers understand is more than the rest of the world does: everyone else gets the older form. */
function buildCompatibleModel(settings: ModelSettings, endpoint: Endpoint): Model<Api> {
  const model = buildPiModel(settings, endpoint);
  const host = new URL(endpoint.baseUrl).hostname;
  if (/(^|\.)openai\.(com|azure\.com)$/.test(host)) return model;
  return { ...model, compat: { supportsStore: false, supportsDeveloperRole: false, maxTokensField: "max_tokens" } };
}
