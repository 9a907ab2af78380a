/** Anthropic by API key: pi-ai's catalogue and its Messages client, which loads the vendor's SDK with the first request. */
import { anthropicMessagesApi } from "@earendil-works/pi-ai/api/anthropic-messages.lazy";
import { ANTHROPIC_MODELS } from "@earendil-works/pi-ai/providers/anthropic.models";
import { buildCatalogue } from "../../kit/catalogue.ts";
import { createPiProvider } from "../../kit/pi-provider.ts";
import type { Provider, ProviderDeps, ProviderSettings } from "../../provider.ts";

const api = "anthropic-messages";
const defaultModel = "claude-sonnet-5";

export function createAnthropicProvider(deps: ProviderDeps, settings: ProviderSettings): Provider {
  const baseUrl = settings.baseUrl ?? "https://api.anthropic.com";
  const models = buildCatalogue(Object.values(ANTHROPIC_MODELS), settings, { api, provider: settings.name, baseUrl });
  return createPiProvider({ ...settings, api, streams: anthropicMessagesApi(), models, defaultModel }, deps);
}
