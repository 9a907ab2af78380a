/** OpenAI: pi-ai's catalogue and its Responses client, which loads the vendor's SDK with the first request. */
import { OPENAI_MODELS } from "@earendil-works/pi-ai/providers/openai.models";
import { buildCatalogue } from "../../kit/catalogue.ts";
import { createResponsesWire } from "../../kit/openai-wire.ts";
import { createPiProvider } from "../../kit/pi-provider.ts";
import type { Provider, ProviderDeps, ProviderSettings } from "../../provider.ts";

const baseUrl = "https://api.openai.com/v1";
const defaultModel = "gpt-6-sol";

/** In the catalogue, but not to be had as a conversation in text. */
const notForChat = /^gpt-realtime/;

export function createOpenAiProvider(deps: ProviderDeps, settings: ProviderSettings): Provider {
  const wire = createResponsesWire();
  const known = Object.values(OPENAI_MODELS).filter(({ id }) => !notForChat.test(id));
  const models = buildCatalogue(known, settings, { api: wire.api, baseUrl });
  return createPiProvider({ settings, wire, models, defaultModel }, deps);
}
