/** Anthropic: pi-ai's catalogue and its Messages client, which loads the vendor's SDK with the first request. */
import { ANTHROPIC_MODELS } from "@earendil-works/pi-ai/providers/anthropic.models";
import { createAnthropicWire } from "../../kit/anthropic-wire.ts";
import { buildCatalogue } from "../../kit/catalogue.ts";
import { createPiProvider } from "../../kit/pi-provider.ts";
import type { Provider, ProviderDeps, ProviderSettings } from "../../provider.ts";

const baseUrl = "https://api.anthropic.com";
const defaultModel = "claude-sonnet-5";

export function createAnthropicProvider(deps: ProviderDeps, settings: ProviderSettings): Provider {
  const wire = createAnthropicWire();
  const models = buildCatalogue(Object.values(ANTHROPIC_MODELS), settings, { api: wire.api, baseUrl });
  return createPiProvider({ settings, wire, models, defaultModel }, deps);
}
