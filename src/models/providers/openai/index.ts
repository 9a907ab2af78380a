/** OpenAI by API key: pi-ai's catalogue and its Responses client, which loads the vendor's SDK with the first request. */
import { openAIResponsesApi } from "@earendil-works/pi-ai/api/openai-responses.lazy";
import { OPENAI_MODELS } from "@earendil-works/pi-ai/providers/openai.models";
import { buildCatalogue } from "../../kit/catalogue.ts";
import { createPiProvider } from "../../kit/pi-provider.ts";
import type { Provider, ProviderDeps, ProviderSettings } from "../../provider.ts";

const api = "openai-responses";
const defaultModel = "gpt-6-sol";

export function createOpenAiProvider(deps: ProviderDeps, settings: ProviderSettings): Provider {
  const baseUrl = settings.baseUrl ?? "https://api.openai.com/v1";
  const models = buildCatalogue(Object.values(OPENAI_MODELS), settings, { api, provider: settings.name, baseUrl });
  return createPiProvider({ ...settings, api, streams: openAIResponsesApi(), models, defaultModel }, deps);
}
